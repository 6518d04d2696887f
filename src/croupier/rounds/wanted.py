"""What was wanted: said of a word in a round that means nothing known, before anybody knows where it stands."""


class WantedError(Exception):
    """A part of a line is not known; the message says what was wanted in its place."""
