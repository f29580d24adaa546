"""Stands for git: asks for a password where the repository wants one."""
import sys

print("Password: ", end="", file=sys.stderr, flush=True)
password = sys.stdin.readline()
print("fetched with a password" if password else "fetched without a password")
