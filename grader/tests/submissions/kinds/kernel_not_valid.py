# what: the kernel is a text
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.nb["metadata"]["kernelspec"] = "python3"
