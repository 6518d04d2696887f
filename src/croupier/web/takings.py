"""Takings: what a table has won, against the odds, and what it stands to lose as the chips lie."""

from typing import Final

from croupier.house.name import TableId
from croupier.house.settings import TableSettings
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terms import Terms, terms_for
from croupier.house.theory import theory, together
from croupier.house.venue import channel_of, coming
from croupier.rules.rulebook import Rulebook
from croupier.web.floordata import Exposure, LimitsRow, TableTerms, Takings, TermsRow
from croupier.web.seatdata import KindLimits

#: How the band is worked out, for whoever reads it.
METHOD: Final = (
    "The win that the odds let expect of the very bets that were settled, and 1.96 standard deviations on either "
    "side: both exact by the paytable, round by round. After many rounds chance alone stays within 95 times in 100."
)


def takings(table: Table) -> Takings:
    meters, by_odds = table.meters, theory(table)
    return Takings(
        turnover=meters.turnover,
        won=meters.won,
        rounds=meters.rounds,
        played=by_odds.played,
        held=by_odds.won,
        expected=by_odds.expected,
        low=by_odds.low,
        high=by_odds.high,
        method=METHOD,
    )


def exposure(house: House, table: Table) -> Exposure:
    """Tell what the chips that lie there bring back on every pocket: that is no more than is staked, whatever comes."""
    lying = together(house.terminals[each].games[table.id].bets for each in table.terminals)
    staked, returns = sum(lying.values()), table.felt.returns(lying)
    most = max(returns)
    pockets = table.rulebook.pockets
    worst = tuple(pocket for pocket, back in zip(pockets, returns, strict=True) if back == most) if most else ()
    return Exposure(staked=staked, returns=dict(zip(pockets, returns, strict=True)), most=most, worst=worst)


def table_terms(house: House, name: TableId) -> TableTerms:
    """Tell the rules and limits in force at a table, and those from the next round where they are others."""
    table = house.tables[name]
    changes = table.next_settings is not None or table.next_rulebook is not None
    rulebook, settings = coming(house, table)
    new = terms_for(rulebook, channel_of(rulebook), settings.limits)
    return TableTerms(
        now=_terms(table.rulebook, table.settings, table.terms),
        next=_terms(rulebook, settings, new) if changes else None,
    )


def _terms(rulebook: Rulebook, settings: TableSettings, terms: Terms) -> TermsRow:
    return TermsRow(rulebook=rulebook.id, digest=rulebook.digest, settings=settings, limits=limits_row(rulebook, terms))


def limits_row(rulebook: Rulebook, terms: Terms) -> LimitsRow:
    """Tell the effective limits of a table under a rulebook."""
    limits, prices = terms.limits, rulebook.paytable.prices
    kinds = {kind: limits.of(kind) for kind in prices}
    return LimitsRow(
        spot_least=limits.spot.least,
        spot_most=limits.spot.most,
        total_least=limits.total.least,
        total_most=limits.total.most,
        kinds=tuple(
            KindLimits(kind, each.least, each.most, each.most and each.most * prices[kind].gross)
            for kind, each in kinds.items()
        ),
    )
