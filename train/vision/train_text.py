"""Teaches a language model to say what the eye sees, and to judge from it, on fresh questions.

The vision tower is not trained here: each picture goes through it once.
"""

import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from agent.atomic_file import atomic_folder
from agent.engines.base import SamplingSettings
from agent.engines.patches import positions
from agent.errors import write_errors
from agent.inspection.offered_looks import MOST_LOOKS
from agent.json_lines import append_lines
from agent.models.infer_card import plain_name
from agent.protocol.protocol import IMAGE_TOKEN
from agent.rendering.style import EYE
from train.models.model_folder import CHAT_TEMPLATE, complete_folder, load_trainable, save_weights
from train.models.small_model import VERDICTS, Shape, make_model, make_tokenizer, save_small_model
from train.questions.settings import QuestionSettings
from train.sft.batches import PAD_TO
from train.sft.fast_path import use_fast_path
from train.sft.inputs import task_texts
from train.sft.optimizer import muon_and_adamw
from train.sft.rows import REASONS, UNTRAINED, VERDICT, Encoder, longest_turn
from train.vision.conversations import SIZING, Question, draw_questions, fixed_phrases, turns
from train.vision.grades import Readings, feature_windows, sure_readings
from train.vision.model import MERGE, PATCH, Eye, feature_places
from train.vision.reasons import KINDS_SAID
from train.vision.settings import SchoolSettings, SpeechSettings
from train.vision.train_tower import Workers, rate

PER_JOB = 4  # spectra that a process draws at a time
FEWEST = 8  # batches of conversations with which training begins
TOLD_EVERY = 100
MISREADING = 0.4  # Typical error of a rank in thoughts that are wrong: more than a grade.
UNDER_WAY = 4096  # more questions than are read and not yet written at any time
MODEL, START, CURVE = "model", "start", "curve.jsonl"


@dataclass(frozen=True, eq=False)
class Conversation:
    """One conversation to learn from; `seen` are the eye's tokens of all its pictures."""

    task: str
    ids: NDArray[np.int32]
    parts: NDArray[np.uint8]
    positions: NDArray[np.int64]
    seen: Tensor


def question_jobs(
    settings: QuestionSettings, seed: int, library: str = ""
) -> Iterator[Callable[[], list[Question]]]:
    numbers = (range(first, first + PER_JOB) for first in count(0, PER_JOB))
    return (partial(draw_questions, each, settings, seed, library) for each in numbers)


@lru_cache(maxsize=1)
def _encoder(tokenizer: Path) -> Encoder:
    return Encoder(Tokenizer.from_file(str(tokenizer)))


Written = list[tuple[str, NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]]


def _write(
    tokenizer: Path,
    asked: Sequence[Question],
    read: Sequence[Readings],
    grid: tuple[int, int],
    misread: Sequence[bool],
) -> Written:
    """Task, ids, parts and positions of each conversation, in a worker process.

    Of a conversation whose thoughts are `misread` the reasons alone are trained.
    """
    encoder = _encoder(tokenizer)
    kinds = [encoder.tokenizer.token_to_id(name) or 0 for name in KINDS_SAID]
    image = int(encoder.tokenizer.token_to_id(IMAGE_TOKEN) or 0)
    written = []
    for one, of_one, is_misread in zip(asked, read, misread, strict=True):
        squares = grid[0] * grid[1] // MERGE**2
        looks = len(of_one.ranks)
        encoded = encoder.encode(turns(one, of_one), [squares] * looks)
        places = positions(encoded.ids, image, [grid] * looks, MERGE)
        parts = encoded.parts
        if is_misread:
            at_kind = np.flatnonzero(np.isin(encoded.ids, kinds) & (parts == REASONS))
            parts = np.where(np.arange(parts.size) > at_kind.max(initial=0), parts, UNTRAINED)
        written.append((one.task, encoded.ids, parts, places))
    return written


class Reader:
    """Lets the eye read the pictures of new questions, and the workers write the turns."""

    def __init__(
        self,
        eye: Eye,
        workers: Workers[list[Question]],
        tokenizer: Path,
        speech: SpeechSettings,
        seed: int,
    ) -> None:
        self._eye, self._workers, self._tokenizer = eye, workers, tokenizer
        self._misread, self._rng = speech.misread, np.random.default_rng([seed, 1])
        # One ring for what is seen of all questions: small pieces of memory, kept between the
        # large ones that come and go with each reading, would hold on to all of it.
        self._ring = Tensor()
        self._slots, self._next = speech.room + UNDER_WAY, 0
        self._device = next(eye.parameters()).device
        self._windows = torch.from_numpy(feature_windows()).float().to(self._device)
        self._writing: list[tuple[Future[Written], list[Tensor]]] = []

    def conversations(self, *, at_least: int = 0) -> Iterator[Conversation]:
        """Those written since the last call; `at_least` questions are waited for."""
        drawn = [each for job in self._workers.ready(at_least=at_least) for each in job]
        if drawn:
            self._read(drawn)
        while self._writing and self._writing[0][0].done():
            future, seen = self._writing.pop(0)
            for (task, ids, parts, places), tokens in zip(future.result(), seen, strict=True):
                yield Conversation(task, ids, parts, places, tokens)

    @torch.no_grad()
    def _read(self, drawn: Sequence[Question]) -> None:
        counts = [len(each.pictures) for each in drawn]
        ends = np.cumsum(counts)[:-1].tolist()
        pictures = torch.from_numpy(np.concatenate([each.pictures for each in drawn]))
        ranges = torch.from_numpy(np.concatenate([each.ranges for each in drawn])).float()
        grid = pictures.shape[1] // PATCH, pictures.shape[2] // PATCH
        ranks, errors, above, seen = [], [], [], []
        for start in range(0, len(pictures), 512):
            some = slice(start, start + 512)
            with torch.autocast(self._device.type, torch.bfloat16):
                tokens = self._eye.tokens(pictures[some].to(self._device))
                places = feature_places(ranges[some].to(self._device), self._windows)
                size = grid[0] // MERGE, grid[1] // MERGE
                answers = self._eye.read(tokens, size, places)
            ranks.append(answers.ranks.float().cpu())
            errors.append(answers.errors.float().cpu())
            above.append(answers.above.float().sigmoid().cpu())
            seen.append(tokens.bfloat16())
        parts = (ranks, errors, above)
        split = [np.split(torch.cat(part).double().numpy(), ends) for part in parts]
        read = [Readings(*of_one) for of_one in zip(*split, strict=True)]
        misread = [not each.is_blank and self._rng.random() < self._misread for each in drawn]
        for row in np.flatnonzero(misread).tolist():
            noise = MISREADING * self._rng.standard_normal(read[row].ranks.shape)
            read[row] = sure_readings(read[row].ranks + noise)
        # Who writes the turns needs no pictures.
        asked = [replace(each, pictures=each.pictures[:, :0, :0]) for each in drawn]
        job = partial(_write, self._tokenizer, asked, read, grid, misread)
        kept = [self._keep(each) for each in torch.split(torch.cat(seen), counts)]
        self._writing.append((self._workers.executor.submit(job), kept))

    def _keep(self, tokens: Tensor) -> Tensor:
        """(pictures * squares, hidden): a copy in the ring, in place of the oldest."""
        count, squares, hidden = tokens.shape
        if not self._ring.numel():
            shape = self._slots, (MOST_LOOKS + 1) * squares, hidden
            self._ring = torch.empty(shape, dtype=tokens.dtype, device=tokens.device)
        kept = self._ring[self._next, : count * squares]
        self._next = (self._next + 1) % self._slots
        return kept.copy_(tokens.flatten(0, 1))


def teach_speech(
    eye: Eye,
    workers: Workers[list[Question]],
    out: Path,
    speech: SpeechSettings,
    school: SchoolSettings,
    seed: int,
    *,
    start: Path | None = None,
    uses_real_stars: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> Path:
    """Train a model on fresh questions for `speech.minutes`; returns the folder of the model.

    `start` is the folder of a model of this eye to train further; `uses_real_stars` says in its
    card that some questions are made from real spectra.
    """
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    eye = eye.to(device).eval()
    if start is None:
        model = new_model(eye, speech, school, out / START, seed)
    else:
        model = trained_model(start, eye, speech, school, out / START, seed)
    model = model.to(device)
    use_fast_path(model)
    language = model.model.language_model.train()
    for weight in model.model.visual.parameters():
        weight.requires_grad_(False)
    optimizer = muon_and_adamw(model, speech.lr, speech.weight_decay, half=True)
    reader = Reader(eye, workers, out / START / "tokenizer.json", speech, seed)
    weigher = _Weigher(Tokenizer.from_file(str(out / START / "tokenizer.json")), speech, device)
    rng = np.random.default_rng(seed)
    held: list[Conversation] = []
    pool: list[Conversation] = []
    began, saved, drawn, longest, step = time.monotonic(), 0.0, 0, 64, 0
    recent: list[Tensor] = []
    while True:
        is_ready = len(pool) >= FEWEST * speech.batch
        for fresh in reader.conversations(at_least=0 if is_ready else 1):
            drawn += 1
            longest = max(longest, longest_turn(fresh.parts))
            is_whole = VERDICT in fresh.parts
            if is_whole and len(held) < speech.held_out:
                held.append(replace(fresh, seen=fresh.seen.clone()))
            elif len(pool) < speech.room:
                pool.append(fresh)
            else:
                pool[drawn % speech.room] = fresh
        if not is_ready:
            continue
        clock = time.monotonic() - began
        done = clock / (60.0 * speech.minutes)
        for group in optimizer.param_groups:
            group["lr"] = speech.lr * rate(step, done, speech.warmup)
        chosen = [pool[row] for row in rng.integers(len(pool), size=speech.batch).tolist()]
        with torch.autocast(device.type, torch.bfloat16):
            logits, labels, parts = _logits(model, language, chosen, device)
            loss = weigher.loss(logits, labels, parts)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(language.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.detach())
        step += 1
        is_last = done >= 1.0
        if step % TOLD_EVERY == 0:
            mean = float(torch.stack(recent).mean())
            pace = step * speech.batch / (time.monotonic() - began)
            speed = f"{drawn} drawn; {pace:.0f} per s"
            tell(f"step {step}, {100 * done:.0f} %: loss {mean:.3f}; {speed}")
            recent.clear()
        if is_last or clock - saved > 60.0 * speech.save_minutes:
            saved = clock
            found = figures(model, language, held, weigher, device)
            entry = {"step": step, "minutes": round(clock / 60.0, 1), "drawn": drawn, **found}
            with write_errors(out / CURVE):
                append_lines(out / CURVE, [json.dumps(entry)])
            tell(json.dumps(entry))
            _save(model, out, longest, drawn, is_simulated=not uses_real_stars)
        if is_last:
            return out / MODEL


def _logits(
    model: Any, language: Any, chosen: Sequence[Conversation], device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Logits, tokens and parts of the trained tokens."""
    shape = len(chosen), -(-max(len(each.ids) for each in chosen) // PAD_TO) * PAD_TO
    ids, parts = np.full(shape, -1, np.int64), np.zeros(shape, np.uint8)
    places = np.zeros((3, *shape), np.int64)
    for row, each in enumerate(chosen):
        ids[row, : len(each.ids)], parts[row, : len(each.ids)] = each.ids, each.parts
        places[:, row, : len(each.ids)] = each.positions
    image = model.config.image_token_id
    is_picture = torch.from_numpy(np.flatnonzero(ids.reshape(-1) == image)).to(device)
    keep = np.flatnonzero(np.pad(parts[:, 1:] > 0, ((0, 0), (0, 1))).reshape(-1))
    tokens = torch.from_numpy(ids).to(device)
    embedded = model.get_input_embeddings()(tokens.clamp(min=0)).flatten(0, 1)
    seen = torch.cat([each.seen for each in chosen])
    embedded = embedded.index_copy(0, is_picture, seen.to(embedded.dtype)).reshape(*shape, -1)
    at = torch.from_numpy(places).to(device)
    read = language(inputs_embeds=embedded, position_ids=at, use_cache=False)
    states = read.last_hidden_state
    kept = torch.from_numpy(keep).to(device)
    logits = model.lm_head(states.flatten(0, 1)[kept])
    trained = torch.from_numpy(parts.reshape(-1)[keep + 1].astype(np.int64)).to(device)
    return logits, tokens.reshape(-1)[kept + 1], trained


class _Weigher:
    """The loss with the weights of verdicts, kinds and reasons."""

    def __init__(self, tokenizer: Any, speech: SpeechSettings, device: torch.device) -> None:
        size = tokenizer.get_vocab_size()
        self._kinds = torch.ones(size, device=device)
        for name in KINDS_SAID:
            self._kinds[tokenizer.token_to_id(name)] = speech.kind_weight
        self._verdict, self._reason = speech.verdict_weight, speech.reason_weight
        self.yes, self.no = (tokenizer.token_to_id(word) for word in VERDICTS)

    def loss(self, logits: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
        each = functional.cross_entropy(logits.float(), labels, reduction="none")
        weights = torch.where(parts == REASONS, self._reason, 1.0)
        weights = torch.where(parts == VERDICT, self._verdict, weights.maximum(self._kinds[labels]))
        return (weights * each).sum() / weights.sum()


@torch.no_grad()
def figures(
    model: Any, language: Any, held: Sequence[Conversation], weigher: _Weigher, device: torch.device
) -> dict[str, float]:
    """Right words and F1 of the verdicts on held-out conversations, given what the eye reads."""
    words, right, counts = 0, 0, dict[str, list[int]]()
    for start in range(0, len(held), 64):
        some = held[start : start + 64]
        with torch.autocast(device.type, torch.bfloat16):
            logits, labels, parts = _logits(model, language, some, device)
        said = logits.argmax(-1)
        words, right = words + labels.numel(), right + int((said == labels).sum())
        at = parts == VERDICT
        is_yes = (logits[at, weigher.yes] > logits[at, weigher.no]).tolist()
        truth = (labels[at] == weigher.yes).tolist()
        for one, guess, true in zip(some, is_yes, truth, strict=True):
            hits = counts.setdefault(one.task, [0, 0])
            hits[0] += guess and true
            hits[1] += guess != true
    scores = {task: 200.0 * hit / max(2 * hit + wrong, 1) for task, (hit, wrong) in counts.items()}
    found = {f"F1 {task}": round(score, 1) for task, score in sorted(scores.items())}
    mean = float(np.mean(list(scores.values()))) if scores else math.nan
    return {"words": round(right / max(words, 1), 4), "F1": round(mean, 1), **found}


def _save(model: Any, out: Path, longest: int, drawn: int, *, is_simulated: bool) -> None:
    stars = "" if is_simulated else ", some of real stars"
    with write_errors(out / MODEL), atomic_folder(out / MODEL) as part:
        save_weights(model, model.state_dict(), part, torch.float16)
        complete_folder(
            part,
            out / START,
            style=EYE,
            sizing=SIZING,
            name=plain_name(out.resolve().name),
            title="Says what it sees",
            parameters=sum(weight.numel() for weight in model.parameters()),
            tasks=QuestionSettings().tasks,
            trained_on=f"{drawn} simulated questions{stars}",
            sampling=SamplingSettings(max_new_tokens=2 * longest),
            simulated_only=is_simulated,
        )


# The language model that learns to say what the eye sees: new, or one trained before.
def speech_shape(speech: SpeechSettings, school: SchoolSettings) -> Shape:
    return Shape(
        hidden=school.out, ffn=speech.ffn, layers=speech.hidden_layers,
        heads=speech.heads, kv_heads=speech.heads, context=speech.context,
        vision_hidden=school.hidden, vision_ffn=school.ffn, vision_layers=school.layers,
        vision_heads=school.heads, whole_every=1, init_std=speech.init_std,
    )  # fmt: skip


def new_model(
    eye: Eye, speech: SpeechSettings, school: SchoolSettings, folder: Path, seed: int
) -> Any:
    """A model with the eye as its vision tower; its folder has the tokenizer."""
    phrases = fixed_phrases()
    texts = [*task_texts(brief=True), *phrases]
    tokenizer: PreTrainedTokenizerFast = make_tokenizer(texts, speech.vocabulary, phrases)
    shape = speech_shape(speech, school)
    model = make_model("qwen2.5-vl", tokenizer, shape, seed)
    model.model.visual.load_state_dict(eye.tower.state_dict())
    save_small_model(folder, model, tokenizer, shape, CHAT_TEMPLATE)
    return model


def trained_model(
    start: Path, eye: Eye, speech: SpeechSettings, school: SchoolSettings, folder: Path, seed: int
) -> Any:
    """The model in `start` with the eye as its tower; phrases that it lacks become tokens."""
    trained = load_trainable(start)
    known = _vocabulary(start)
    if known.keys() >= set(fixed_phrases()):
        trained.model.visual.load_state_dict(eye.tower.state_dict())
        shutil.copytree(start, folder, dirs_exist_ok=True)
        return trained
    model = new_model(eye, speech, school, folder, seed)
    numbers = _vocabulary(folder)
    same = {text: number for text, number in numbers.items() if text in known}
    embedding = model.get_input_embeddings().weight.detach().clone()
    rows = trained.get_input_embeddings().weight.detach()
    embedding[list(same.values())] = rows[[known[text] for text in same]]
    for text, number in numbers.items():
        # A new phrase begins with the meaning of the one most like it.
        if text not in known and (like := get_close_matches(text, known, 1)):
            embedding[number] = rows[known[like[0]]]
    layers = trained.model.language_model.state_dict()
    model.model.language_model.load_state_dict(layers | {"embed_tokens.weight": embedding})
    return model


def _vocabulary(folder: Path) -> dict[str, int]:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    return dict(tokenizer.get_vocab())
