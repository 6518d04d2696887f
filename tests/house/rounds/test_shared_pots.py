"""A pot that venues share: it is won once, each journal explains its cents, and the accounts between venues agree."""

from random import Random

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Decision
from croupier.house.floor.setup import CreateHouse
from croupier.house.ids import SYSTEM, Context, DeviceId, PersonId
from croupier.house.rounds.progressive import PotChanged, PotPlayedFor, pots_shown
from croupier.house.rounds.shared_pots import (
    PotReported,
    PotShared,
    ReceivePotReports,
    ReceivePotStatement,
    SharePot,
    statement_for,
    unapplied,
)
from croupier.house.state.ledger import LedgerAccount, Pot, PotReport, PotShare, PotStatement
from croupier.house.verification import state_digest
from croupier.rules.refusal import Code, Refusal
from croupier.server.events import event_sentence
from croupier.simulation.auditor import Auditor
from tests.house.rounds.test_carried import START, Floor
from tests.house.rounds.test_progressive import BOOK, MUST, SEED, slips
from tests.support.campaign import portions

HARBOUR, RIVERSIDE, AIRPORT = "Harbour", "Riverside", "Airport"


class PotVenue(Floor):
    """A venue that shares the pot of its one table, and of whose answers an auditor makes sure."""

    def __init__(self, name: str, keeper: str = HARBOUR) -> None:
        self.name, self.auditor, self.written = name, Auditor(), 0
        super().__init__(BOOK)
        if keeper:
            self.must(SharePot(BOOK.id, keeper))

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        if isinstance(command, CreateHouse):
            command = CreateHouse(command.mode, self.name, command.timezone)
        answer = super().ask(command, device, person)
        context = Context(self.now, device, PersonId(person))
        self.auditor.on_decision(command, context, answer)
        self.auditor.compare(self.house)
        for event in answer if isinstance(answer, tuple) else ():
            self.written += 1
            self.auditor.entry(self.written, 1, context, event)
        return answer

    @property
    def pot(self) -> Pot:
        return self.house.pots[BOOK.id]

    @property
    def share(self) -> PotShare:
        assert self.pot.share is not None
        return self.pot.share

    def reports_to(self, keeper: "PotVenue") -> Decision | None:
        """Report what the keeper has not said to have applied; None if there is nothing."""
        reports = tuple(unapplied(self.share, self.share.stated.applied.number))
        return keeper.ask(ReceivePotReports(self.name, BOOK.digest, reports, "", "")) if reports else None

    def states_to(self, venue: "PotVenue") -> Decision:
        said = statement_for(self.house, BOOK.id, venue.name)
        return venue.ask(ReceivePotStatement(self.name, BOOK.digest, said, "", ""))

    def moved(self) -> int:
        """What its rounds have added to the pot and its reserve, less what they won."""
        changes = [event for event in self.events if isinstance(event, PotChanged)]
        return sum(each.contributed - each.paid for each in changes)


def exchanged(keeper: PotVenue, *others: PotVenue) -> None:
    """Let all reports and then all statements arrive."""
    for each in others:
        each.reports_to(keeper)
    for each in others:
        keeper.states_to(each)
        assert (each.pot.amount, each.pot.wins) == (keeper.pot.amount, keeper.pot.wins)
        account = keeper.house.venue_accounts.get(each.name)
        assert (
            each.house.ledger[LedgerAccount.INTER_VENUE] == each.moved() == (0 if account is None else account.received)
        )
        assert not each.share.reports
    ledger = keeper.house.ledger
    together = sum(each.moved() for each in (keeper, *others))
    assert ledger[LedgerAccount.PROGRESSIVE] == keeper.pot.amount >= SEED
    assert ledger[LedgerAccount.PROGRESSIVE] + ledger[LedgerAccount.RESERVE] == together
    for each in (keeper, *others):
        each.check()


def both() -> tuple[PotVenue, PotVenue]:
    return PotVenue(HARBOUR), PotVenue(RIVERSIDE)


def test_what_another_venue_adds_is_in_the_pot() -> None:
    """A venue owes the keeper what its rounds add, and both show one pot once they have exchanged totals."""
    harbour, riverside = both()
    riverside.round("1", T1="10 on pot")
    assert riverside.house.ledger[LedgerAccount.INTER_VENUE] == 900
    assert riverside.house.ledger[LedgerAccount.PROGRESSIVE] == riverside.house.ledger[LedgerAccount.RESERVE] == 0
    assert (riverside.pot.amount, harbour.pot.amount) == (SEED + 500, SEED)
    harbour.round("1", T1="5 on pot")
    exchanged(harbour, riverside)
    assert harbour.pot.amount == SEED + 750
    assert pots_shown(riverside.house, riverside.table) == {"pot": SEED + 750}
    says = "Riverside has added 9 to the pot of generic-progressive and its reserve, and paid 0: the pot is 57.50 now."
    assert [event_sentence(each, drawn=False) for each in harbour.events if isinstance(each, PotReported)] == [says]


def test_pot_that_two_venues_win_in_one_moment_is_won_once() -> None:
    """Both venues pay what their rounds played for; the first to report takes the pot, the reserve pays the second."""
    harbour, riverside = both()
    airport = PotVenue(AIRPORT)
    for each in (riverside, airport):
        each.round("0", T1="5 on pot")
        assert each.total() == START + SEED
    exchanged(harbour, riverside, airport)
    assert harbour.pot.wins == 1
    assert harbour.pot.amount == SEED + 500
    assert harbour.pot.reserve == -SEED + 400 - 2 * SEED
    assert harbour.house.ledger[LedgerAccount.INTER_VENUE] == 2 * (SEED - 450)


def test_win_that_is_taken_back_after_others_played_on_puts_the_pot_back() -> None:
    """A corrected win gives the pot back while no other has won the next one; a later win of that is the reserve's."""
    harbour, riverside = both()
    riverside.round("1", T1="10 on pot")
    exchanged(harbour, riverside)
    riverside.round("0", T1="5 on pot")
    exchanged(harbour, riverside)
    harbour.round("1", T1="5 on pot")
    riverside.correct(2, "1")
    exchanged(harbour, riverside)
    # As if nobody had won: 500 and 250 of Riverside, and 250 of Harbour.
    assert (harbour.pot.amount, harbour.pot.wins) == (SEED + 1_000, 0)

    riverside.round("0", T1="5 on pot")
    exchanged(harbour, riverside)
    harbour.round("0", T1="5 on pot")
    before = harbour.pot.reserve
    riverside.correct(3, "1")
    exchanged(harbour, riverside)
    assert harbour.pot.wins == 2
    # The pot that Riverside had won comes back to the reserve: the next one is won already.
    assert harbour.pot.reserve == before + SEED + 1_000


def test_number_that_is_corrected_to_a_win_after_another_win_is_paid_by_the_reserve() -> None:
    """A round of another venue that wins after all, once the pot has been won, leaves the pot as it is."""
    harbour, riverside = both()
    riverside.round("1", T1="5 on pot")
    exchanged(harbour, riverside)
    harbour.round("0", T1="5 on pot")
    exchanged(harbour, riverside)
    amount, reserve = harbour.pot.amount, harbour.pot.reserve
    riverside.correct(1, "0")
    exchanged(harbour, riverside)
    assert (harbour.pot.amount, harbour.pot.reserve, harbour.pot.wins) == (amount, reserve - SEED, 1)


def test_pot_that_must_be_won_is_due_at_the_venue_that_made_it_so() -> None:
    """At other venues it is won by its number only, until its keeper names them."""
    harbour, riverside = both()
    airport = PotVenue(AIRPORT)
    for _ in range(2):
        riverside.round("1", T1="100 on pot")
        exchanged(harbour, riverside, airport)
    assert harbour.pot.amount == MUST == riverside.pot.amount == airport.pot.amount
    assert (harbour.share.due_at, riverside.share.stated.due, airport.share.stated.due) == (RIVERSIDE, True, False)
    for each, wins in ((harbour, False), (airport, False), (riverside, True)):
        before = each.total()
        each.round("1", T1="5 on pot")
        assert each.total() - before == (MUST if wins else -500)
    exchanged(harbour, riverside, airport)
    assert (harbour.pot.wins, harbour.share.due_at) == (1, None)
    for _ in range(2):
        harbour.round("1", T1="100 on pot")
    assert harbour.share.due_at == ""
    harbour.round("1", T1="5 on pot")
    assert harbour.pot.wins == 2


def test_venue_that_is_not_reached_plays_on_for_what_it_knows() -> None:
    """Without an answer of its keeper a venue goes on, and reports all at once when the keeper is there again."""
    harbour, riverside = both()
    for number in ("1", "0", "2", "0"):
        riverside.round(number, T1="5 on pot")
    assert (riverside.pot.wins, len(riverside.share.reports)) == (2, 2)
    exchanged(harbour, riverside)
    assert (harbour.pot.wins, harbour.pot.amount) == (2, SEED + 250)
    assert [event.wins for event in riverside.events if isinstance(event, PotPlayedFor)] == [0, 0, 1, 1]


def test_messages_that_come_twice_or_late_change_nothing() -> None:
    """A report and a statement count once; those that are not newer are refused, and so are those of another pot."""
    harbour, riverside = both()
    riverside.round("0", T1="5 on pot")
    assert isinstance(riverside.reports_to(harbour), tuple)
    books = state_digest(harbour.house)
    assert code(riverside.reports_to(harbour)) is Code.ALREADY_THERE
    assert state_digest(harbour.house) == books
    assert isinstance(harbour.states_to(riverside), tuple)
    assert code(harbour.states_to(riverside)) is Code.ALREADY_THERE
    ahead = PotStatement(99, SEED, 1, PotReport(7, 2_000))
    assert code(riverside.ask(ReceivePotStatement(HARBOUR, BOOK.digest, ahead, "", ""))) is Code.OUT_OF_TURN
    assert code(riverside.ask(ReceivePotStatement(AIRPORT, BOOK.digest, ahead, "", ""))) is Code.NOT_TAKEN_HERE
    assert code(riverside.ask(ReceivePotReports(AIRPORT, BOOK.digest, (), "", ""))) is Code.NOT_TAKEN_HERE
    assert code(harbour.ask(ReceivePotReports(AIRPORT, "other rules", (), "", ""))) is Code.NOT_TAKEN_HERE


def code(answer: Decision | None) -> Code:
    assert isinstance(answer, Refusal), answer
    return answer.code


def test_pot_is_shared_before_it_is_played_for_and_once() -> None:
    """A pot with money of players in it stays where it is; its own venue may begin to share it at any time."""
    venue = PotVenue(HARBOUR, keeper="")
    venue.round("1", T1="5 on pot")
    assert code(venue.ask(SharePot(BOOK.id, RIVERSIDE))) is Code.SETTING_IMPOSSIBLE
    assert venue.ask(SharePot(BOOK.id, HARBOUR)) == (PotShared(BOOK.id, HARBOUR),)
    assert code(venue.ask(SharePot(BOOK.id, HARBOUR))) is Code.ALREADY_THERE
    assert code(venue.ask(SharePot(BOOK.id, RIVERSIDE))) is Code.SETTING_IMPOSSIBLE
    assert code(venue.ask(SharePot("generic-european", HARBOUR))) is Code.NOTHING_THERE
    running = PotVenue(RIVERSIDE, keeper="")
    running.open()
    running.bet("T1", "5 on pot")
    running.close()
    assert code(running.ask(SharePot(BOOK.id, HARBOUR))) is Code.SETTING_IMPOSSIBLE


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=6, night=300, size=10), ids=lambda seeds: f"{seeds.start}")
def test_accounts_of_venues_agree_after_any_course_of_rounds_and_messages(seeds: range) -> None:
    """Whatever is won, corrected, lost and repeated, all cents are explained, and all pots agree at the end."""
    for seed in seeds:
        dice = Random(seed)  # noqa: S311 - it must be reproducible
        venues = [PotVenue(name) for name in (HARBOUR, RIVERSIDE, AIRPORT)]
        keeper, *others = venues
        rounds = dict.fromkeys((each.name for each in venues), 0)
        for _ in range(25):
            each = dice.choice(venues)
            match dice.randrange(6):
                case 0 | 1 | 2:
                    each.round(
                        dice.choice(("0", "1", "2")), **slips(dice.choice((500, 501, 5_000)), dice.choice((0, 2_500)))
                    )
                    rounds[each.name] += 1
                case 3 if rounds[each.name]:
                    number = each.house.tables[each.table.id].rounds
                    round_ = each.table.named_round(number)
                    each.correct(number, dice.choice([pocket for pocket in ("0", "1", "2") if pocket != round_.pocket]))
                case 4 if each is not keeper:
                    each.reports_to(keeper)
                case 5 if each is not keeper:
                    keeper.states_to(each)
        exchanged(keeper, *others)
