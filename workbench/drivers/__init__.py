"""Two drivers for one core: the asyncio runtime, and the stepper a person moves by hand."""
