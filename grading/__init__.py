"""Making, publishing and grading the course's notebooks: `python -m grading --help`."""

import sys

# Importing nbformat imports jsonschema, which at once compiles 39 grammars for the one format "iri", that no notebook
# uses: two seconds of every start. jsonschema does without the package that it finds missing.
sys.modules.setdefault("rfc3987_syntax", None)
