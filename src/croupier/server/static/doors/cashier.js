// The cashier door.

import { openConsole } from "../staff/console.js";
import { cashier } from "../cashier/cashier.js";

await openConsole("cashier", cashier);
