"""An annotator who knows only what a tool shows: the same rule as in `tests/it/logs.rs`."""


def answer(shown, classes=None, low=0.0):
    """The label of a text with its criterion: one of the classes, or a score."""
    number = 7
    for byte in shown.encode():
        number = (number * 31 + byte) % 2**64
    return classes[number % len(classes)] if classes else low + number % 2 / 2
