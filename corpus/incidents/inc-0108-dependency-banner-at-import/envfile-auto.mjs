// The same at import, for programs that need nothing else of it.
import { load } from "./envfile.mjs";

load();
