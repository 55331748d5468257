"""The parts that think about a question: made for a model that can, or for none."""

from collections.abc import Callable
from dataclasses import dataclass

from sojourn.agent.reasoning.advisor import Advisor, Allow, OnUsage
from sojourn.agent.reasoning.analyser import Analyser, ModelAnalyser, OfflineAnalyser
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.evaluator import Evaluator
from sojourn.agent.reasoning.judge import Judge
from sojourn.agent.reasoning.planner import Planner
from sojourn.agent.reasoning.synthesiser import Synthesiser
from sojourn.clock import Clock
from sojourn.providers.protocol import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Who analyses, plans, evaluates, judges and puts together. Lives as long as the loop that uses it."""

    analyser: Analyser
    planner: Planner
    evaluator: Evaluator
    judge: Judge
    synthesiser: Synthesiser
    capable: bool = True
    """Whether there is a model to think with; else every question is answered directly, and nobody judges that."""

    @classmethod
    def of(
        cls,
        provider: Provider | None,
        *,
        config: ReasoningConfig | None = None,
        on_usage: OnUsage | None = None,
        allow: Allow | None = None,
        clock: Clock | None = None,
        provider_of: Callable[[str], Provider] | None = None,
    ) -> "Components":
        """Return the parts for *provider*. Without one, or if it cannot call tools, all of them do without a model.

        Args:
            provider: the agent's model.
            config: the settings.
            on_usage: told what each call of a model used.
            allow: asked before each call whether so many tokens may be spent.
            clock: where the time comes from that an analysis is kept for.
            provider_of: gives the model of a name, for those that the settings name; whoever makes them closes them.
        """
        settings = config or ReasoningConfig()
        if provider is None or not provider.takes_tools:
            return cls(
                analyser=OfflineAnalyser(),
                planner=Planner(None, config=settings),
                evaluator=Evaluator(None, config=settings),
                judge=Judge(None, config=settings),
                synthesiser=Synthesiser(None),
                capable=False,
            )

        def advisor(name: str | None) -> Advisor:
            chosen = provider if name is None or provider_of is None else provider_of(name)
            return Advisor(chosen, on_usage=on_usage, allow=allow, debug=settings.debug_mode)

        return cls(
            analyser=ModelAnalyser(advisor(settings.analysis_model), config=settings, clock=clock),
            planner=Planner(advisor(settings.planning_model), config=settings),
            evaluator=Evaluator(advisor(settings.evaluation_model), config=settings),
            judge=Judge(advisor(settings.evaluation_model), config=settings),
            synthesiser=Synthesiser(advisor(settings.synthesis_model)),
        )
