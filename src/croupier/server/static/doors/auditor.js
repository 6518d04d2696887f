// The auditor door.

import { openConsole } from "../staff/console.js";
import { auditor } from "../audit/auditor.js";

await openConsole("auditor", auditor);
