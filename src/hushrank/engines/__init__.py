"""What drives a protocol: any engine runs any protocol, and a protocol runs on any engine.

`local.py` runs every device in this process (`run`), draws the tallies of a whole population
instead (`simulate`), or asks for exact answers (`run_without_noise`). `rounds.py` is one round of
it, `crowd.py` the people who answer, `outcome.py` what was learnt and what it cost whom;
`shuffler.py` stands between devices and tallies where people trust it to.
`cluster.py` runs the devices of a piece of the people in one task, and `tasks.py` adds up what
tasks return, here or with Dask. Begin with `local.py`.
May import: surveys and what is below; no protocol.
"""
