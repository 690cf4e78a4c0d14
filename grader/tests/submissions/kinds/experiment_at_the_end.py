# what: a changed copy of an answer stands at the end of the notebook
# gets: everything
# says: different answers
# look: yes

from submissions.catalogue import a_copy


def change(draft):
    solution = draft.solutions[0]
    draft.cells.append(a_copy(solution, source=draft.stub_of(solution) + "\n# an experiment"))
