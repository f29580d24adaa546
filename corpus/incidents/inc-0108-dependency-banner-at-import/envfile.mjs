// Stands for a dependency: puts the values of a .env file into the environment.
import { existsSync, readFileSync } from "node:fs";

export function load({ quiet = false } = {}) {
  const text = existsSync(".env") ? readFileSync(".env", "utf8") : "";
  const pairs = text.split("\n").filter((line) => line.includes("="));
  for (const pair of pairs) {
    const [name, ...value] = pair.split("=");
    process.env[name] ??= value.join("=");
  }
  if (!quiet) console.log(`[envfile@9.0.2] ${pairs.length} values from .env`);
}
