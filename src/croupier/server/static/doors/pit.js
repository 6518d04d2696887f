// The pit door.

import { openConsole } from "../staff/console.js";
import { pit } from "../pit/pit.js";

await openConsole("pit", pit);
