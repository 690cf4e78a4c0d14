# attack: partial credit of a thousand points, of infinity and of nan, by what a plain test's last line returns
# points: none
# must not: get more than the cell's points

# %% square
class Large(float):
    def __lt__(self, other): return False
    def __gt__(self, other): return True
def square(x):
    print(1000)
    return Large("inf")

# %% double
double = lambda x: None
