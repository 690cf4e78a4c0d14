"""Make the course's list of given names, and keep one in ten back for grading.

    python data/make_names.py

The names are the first-name lists of all locales of the `faker` package that are written in Latin
letters. Accents are folded to a-z; a name that then still holds anything else (a hyphen, a space,
an initial) is left out, and so is one shorter than 2 or longer than 15 letters. Whether a name is
kept back depends on the name alone, so a newer faker adds names and never moves one from one list
to the other.
"""

import hashlib
import importlib
import pkgutil
import re
import unicodedata
from pathlib import Path

import faker.providers.person

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "data" / "names.txt"
HELD_OUT = ROOT / "solutions" / "held_out_names.txt"

# Letters that are not a base letter with an accent, so that Unicode does not take them apart; as
# commonly romanised.
LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ı": "i",
        "ŋ": "n",
        "ə": "a",
        "ß": "ss",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
    }
)
NAME = re.compile(r"[a-z]{2,15}")


def fold(name: str) -> str:
    """The name in small letters without accents: fold("Łukasz") == "lukasz"."""
    decomposed = unicodedata.normalize("NFKD", name.strip().lower().translate(LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def first_names(locale: str) -> set[str]:
    """All names in the attributes `first_names...` of one locale of faker, as they are written
    there."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    lists = [
        value for attribute, value in vars(provider).items() if attribute.startswith("first_names")
    ]
    # Some locales join their lists in a property; the parts are attributes too.
    return {name for names in lists if not isinstance(names, property) for name in names}


def all_names() -> list[str]:
    """Every name that is a-z after folding, sorted."""
    locales = [module.name for module in pkgutil.iter_modules(faker.providers.person.__path__)]
    folded = {fold(name) for locale in locales for name in first_names(locale)}
    return sorted(name for name in folded if NAME.fullmatch(name))


def is_held_out(name: str) -> bool:
    """True for one name in ten, by the name's own hash."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 10 == 0


def files() -> dict[Path, str]:
    """What the script writes: path -> content, for both lists and their checksums."""
    names = all_names()
    lists = {
        NAMES: [name for name in names if not is_held_out(name)],
        HELD_OUT: [name for name in names if is_held_out(name)],
    }
    contents = {path: "\n".join(chosen) + "\n" for path, chosen in lists.items()}
    checksums = {
        path.with_suffix(".sha256"): f"{hashlib.sha256(text.encode()).hexdigest()}  {path.name}\n"
        for path, text in contents.items()
    }
    return contents | checksums


if __name__ == "__main__":
    for path, content in files().items():
        path.write_text(content, encoding="utf-8", newline="\n")
        print(f"{path.relative_to(ROOT)}: {len(content.splitlines()):,} lines")
