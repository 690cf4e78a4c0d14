# what: the kernel is a conda environment of the student's
# gets: everything

def change(draft):
    draft.nb["metadata"]["kernelspec"] = {"name": "conda-env-ml-py", "display_name": "Python [conda env:ml]", "language": "python"}
