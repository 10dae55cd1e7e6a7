from __future__ import annotations

import pytest

from mnemo_assets.evaluation.families import families, kin


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("qwen3:8b", {"qwen"}),
        ("hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M", {"qwen"}),
        ("ollama/qwq:32b", {"qwen"}),
        ("llama.cpp/gemma-3-12b", {"gemma"}),
        ("Meta-Llama-3.1-8B-Instruct", {"llama"}),
        ("tinyllama", {"llama"}),
        ("ministral-8b", {"mistral"}),
        ("mixtral:8x7b", {"mistral"}),
        ("mistral-small3.2", {"mistral"}),
        ("phi-4-mini", {"phi"}),
        ("microsoft/Phi3", {"phi"}),
        ("dolphin-8b", {"dolphin"}),
        ("gpt-oss:20b", {"gpt"}),
        ("granite3.3:8b", {"granite"}),
        ("SmolLM2-135M-Instruct", {"smollm"}),
        ("chatglm3-6b", {"glm"}),
        ("GLM-4.5-Air", {"glm"}),
        ("deepseek-r1-distill-qwen-7b", {"deepseek", "qwen"}),
        ("Llama-3.3-Nemotron-49B", {"llama", "nemotron"}),
        ("house-judge", {"house"}),
        ("somebody/house-2", {"house"}),
        ("123", {"123"}),
    ],
)
def test_families_by_name(model: str, family: set[str]) -> None:
    """A name tells the family, or two; a name that tells none is a family by its first word."""
    assert families(model) == family


def test_kin() -> None:
    """Those that share a family, in their order."""
    assert kin("deepseek-r1-distill-qwen-7b", ["qwen3:8b", "gemma3", "deepseek-v3"]) == (
        "qwen3:8b",
        "deepseek-v3",
    )
