"""Copies: which paper has come out to be printed, so that the next of it says so or takes two people."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

from croupier.house.state import House
from croupier.office.counter import already_out
from croupier.paper.receipt import Receipt
from croupier.paper.slip import Slip
from croupier.paper.taxform import TaxForm
from croupier.rules.refusal import Refusal
from croupier.web.drawing import OnPaper
from croupier.web.paperdata import Form


class Copies:
    """Counts what has come out as a file, whether or not it was printed: nobody can know that.

    It is kept in memory alone. After a restart a slip whose print nobody has confirmed may come out once more, and a
    receipt that is younger than a minute as well.
    """

    def __init__(self) -> None:
        self._out: Counter[Hashable] = Counter()

    def marked(self, house: House, paper: OnPaper, form: Form) -> OnPaper | Refusal:
        """Give paper the mark that it is to bear; a slip comes out once, and once more for each duplicate."""
        match paper:
            case Slip():
                return self._slip(house, paper, form)
            case Receipt():
                return self._copy(paper, (paper.subject, paper.drawer, paper.at), form)
            case TaxForm():
                return self._copy(paper, (paper.hold, paper.recorded_at), form)
            case _:
                return paper

    def _slip(self, house: House, paper: Slip, form: Form) -> Slip | Refusal:
        key = (paper.sequence, paper.duplicate)
        out = self._out[key]
        if form is Form.SCREEN:
            return replace(paper, copy=out > 0)
        if out:
            return already_out(house, house.tickets[paper.sequence])
        self._out[key] = 1
        return paper

    def _copy(self, paper: Receipt | TaxForm, key: Hashable, form: Form) -> OnPaper:
        """Count the copies of what belongs to a moment: who asks late has one, whether or not another came out."""
        copies = max(self._out[key], paper.duplicate)
        if form is not Form.SCREEN:
            self._out[key] = copies + 1
        return replace(paper, duplicate=copies)
