// The dealer door: the round in large steps, the number, and the seats of one table.

import { openConsole } from "../staff/console.js";
import { dealer } from "../dealer/dealer.js";

await openConsole("dealer", dealer);
