"""The director: fills a demonstration with simulated players, who come over the wire and bet at a human pace."""

from croupier.director.director import Director, money_objection

__all__ = ["Director", "money_objection"]
