"""The benchmark's fault: something did not go as a measurement needs it, and nothing measured beside it counts."""


class BenchFault(Exception):  # noqa: N818 - the house's word
    """A server that does not start, hangs up or says what it should not; a machine that does not allow enough."""
