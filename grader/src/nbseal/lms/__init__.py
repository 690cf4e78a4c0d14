"""What a learning management system knows of a course: its names for submissions, and its tables.

`origins` keeps where a submission came from, so that feedback finds its way back; `roster` finds
the one student whom a name can mean; `tables` reads and fills what Moodle and Canvas export.
"""
