# what: the notebook asks for an R kernel
# gets: everything

def change(draft):
    draft.nb["metadata"] |= {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}, "language_info": {"name": "R"}}
