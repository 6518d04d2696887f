"""A finger: touches as a touch screen reports them, on a page that takes touches."""

from typing import Final

from tests.support.browser.screen import Place, Screen

_BETWEEN_S: Final = 0.008


class Finger:
    """One finger on one screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._session = screen.page.context.new_cdp_session(screen.page)
        #: The time of its next touch, in seconds: a touch screen says itself when it was touched.
        self._at = float(screen.ask("() => stage.real_now()")) / 1000

    def down(self, at: Place) -> None:
        self._send("touchStart", at)

    def move(self, *along: Place) -> None:
        for at in along:
            self._send("touchMove", at)

    def both(self, *at: Place) -> None:
        """Put down a second one."""
        self._send("touchStart", *at)

    def up(self) -> None:
        """Lift it, and wait for what comes of it."""
        self._send("touchEnd")
        self._screen.settle()

    def tap(self, at: Place) -> None:
        self.down(at)
        self.up()

    def hold(self, seconds: float) -> None:
        """Stay where it is for a while."""
        self._at += seconds

    def drag(self, start: Place, end: Place, *, held_s: float = 0, steps: int = 6) -> None:
        """Go from one place to another, without lifting."""
        self.down(start)
        self.hold(held_s)
        across, along = (end[0] - start[0]) / steps, (end[1] - start[1]) / steps
        self.move(*((start[0] + across * step, start[1] + along * step) for step in range(1, steps + 1)))

    def _send(self, kind: str, *at: Place) -> None:
        points = [{"x": across, "y": down} for across, down in at]
        self._at += _BETWEEN_S
        touch = {"type": kind, "touchPoints": points, "timestamp": self._at}
        self._session.send("Input.dispatchTouchEvent", touch)
