// The board door: a display for everybody.

import { openBoard } from "../board/board.js";

await openBoard();
