"""What an application gives a client so that peers may ask back, in one place.

::

    from workbench import Handlers, InputPolicy, MultiServerClient, decline

    def ask(question):                      # a plain function: runs on its own thread
        print(question.peer, "asks:", question.message)
        return {"sure": True}               # or accept(…), decline(), cancel()

    client = MultiServerClient(handlers=Handlers(elicitation=ask, roots=["/home/me/project"]))

What has a handler is declared to every peer, and nothing else is. The same handlers answer
a modern peer's round trips and a legacy peer's own requests.
"""

from workbench.core.inputs.handlers import NO_HANDLERS, Handlers
from workbench.core.inputs.inputs import Elicitation, InputPolicy, RootsWanted, Sampling
from workbench.core.inputs.models import LESSON_MODELS, ModelCard, choose_model, fake_model
from workbench.core.inputs.replies import Elicited, accept, cancel, decline

__all__ = [
    "LESSON_MODELS",
    "NO_HANDLERS",
    "Elicitation",
    "Elicited",
    "Handlers",
    "InputPolicy",
    "ModelCard",
    "RootsWanted",
    "Sampling",
    "accept",
    "cancel",
    "choose_model",
    "decline",
    "fake_model",
]
