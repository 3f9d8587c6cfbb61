"""The parts of scripts/generate.py: facts in, generated text out."""
