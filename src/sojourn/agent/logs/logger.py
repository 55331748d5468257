"""The front of a log: what is said, thought, measured and sent is written down for people.

It never stands in the way of an answer: what cannot be written (a full disk, a folder that was removed) is reported
once, in the program's own log, and the number that is returned is 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from sojourn.agent.logs.cleaning import kept
from sojourn.agent.logs.config import LogConfig, LogStream, SessionInfo, make_folder
from sojourn.agent.logs.files import LogFile
from sojourn.agent.logs.folder import JOURNAL, Batch, LogFolder, context_of, find_streams, read_info
from sojourn.agent.logs.raw import RAW_FILE, RawWriter
from sojourn.context.manager import ToolOutcome
from sojourn.errors import ClosedError, InvalidInputError, StoreError
from sojourn.model.message import Message, ToolCall

INSTRUCTIONS: Final = 1
"""The number of the instructions in a log that follows a journal: the first entry of a journal is never a message."""


class SessionLogger:
    """The log of one session: a folder with `session.db`, `context.md`, and what else is switched on.

    Lives until `close`; a `with` closes it, too. Any thread may use it. Secrets are redacted in every file.
    """

    def __init__(self, config: LogConfig | None = None, *, info: SessionInfo | None = None) -> None:
        """Begin a log in a new folder; with *info*, the one that is named there, which exists.

        Raises:
            StoreError: the folder cannot be made, or its files cannot be opened.
        """
        self._config = config or LogConfig()
        where = info or make_folder(self._config)
        self._folder = LogFolder(where, streams=self._config.streams, counter=self._config.token_counter)
        self._raw: RawWriter | None = None
        self._journal = self._folder.storage.get_metadata(JOURNAL)
        if LogStream.RAW in self._config.streams:
            try:
                self._raw = self._raw_writer()
            except BaseException:
                self._folder.close()
                raise

    @classmethod
    def reopen(cls, session_dir: Path, config: LogConfig | None = None) -> Self:
        """Go on with the log in *session_dir*, as *config* says or else as it was; the folder named there is not used.

        Raises:
            CorruptError: there is no log in it.
            NewerVersionError: a newer Sojourn wrote it.
        """
        info = read_info(Path(session_dir).absolute())
        return cls(config or LogConfig(streams=find_streams(info.session_dir)), info=info)

    def __repr__(self) -> str:
        return f"SessionLogger({str(self.session_dir)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def session_dir(self) -> Path:
        """The folder of the log."""
        return self._folder.info.session_dir

    @property
    def session_id(self) -> str:
        """The log's own id: `YYYY-MM-DD_HHMMSS_MODE_xxxxxx`."""
        return self._folder.info.session_id

    @property
    def info(self) -> SessionInfo:
        """What the log is called, where it lies, since when, and which log it is nested in."""
        return self._folder.info

    @property
    def config(self) -> LogConfig:
        """What is written, and how."""
        return self._config

    @property
    def folder(self) -> LogFolder:
        """The files."""
        return self._folder

    # --- what is said

    def log_system(self, content: str) -> int:
        """Write down the instructions and return their number; those before them leave the context.

        In a log that follows a journal they are message 1, and replace what was there; `context.md` shows them as soon
        as something else is written.
        """
        message = Message(role="system", content=content)
        return self._add(message) if self._journal is None else self._replace_instructions(message)

    def log_user(self, content: str) -> int:
        """Write down what the user said and return its number."""
        return self._add(Message(role="user", content=content))

    def log_assistant(
        self,
        content: str,
        tool_calls: Sequence[ToolCall] = (),
        thinking: str | None = None,
        tokens: int | None = None,
    ) -> int:
        """Write down what the model said and called, and return its number; thinking goes to the verbose stream."""
        message = Message(role="assistant", content=content, tool_calls=tuple(tool_calls))
        return self._add(message, thinking=thinking or "", tokens=tokens)

    def log_tool_result(self, tool_call_id: str, name: str, result: ToolOutcome | str) -> int:
        """Write down what a tool returned, its error if it failed, and return its number."""
        error = "" if isinstance(result, str) else result.error
        output = result if isinstance(result, str) else result.output
        return self._add(
            Message(role="tool", content=error or output, tool_call_id=tool_call_id, name=name, error=bool(error))
        )

    def _add(self, message: Message, *, thinking: str = "", tokens: int | None = None) -> int:
        if self._journal is not None:
            raise InvalidInputError(
                f"the log {self.session_dir} follows the journal of session {self._journal}: append the message there"
            )
        now = self._config.clock.now()

        def write(batch: Batch) -> int:
            if message.role == "system":
                batch.storage.update_context_status(batch.storage.find_context(role="system"), in_context=False)
            number = batch.add_message(message, at=now, tokens=tokens)
            if thinking:
                batch.add_event("thinking", {"content": thinking}, at=now, message_id=number)
            return number

        return self._written(write)

    def _replace_instructions(self, message: Message) -> int:
        def write(batch: Batch) -> int:
            if batch.storage.has_message(INSTRUCTIONS):
                if batch.storage.get_message(INSTRUCTIONS).content == kept(message.text):
                    return INSTRUCTIONS
                batch.storage.delete_message(INSTRUCTIONS)
            batch.rewrites = True
            return batch.add_message(message, at=self._config.clock.now(), message_id=INSTRUCTIONS)

        # The texts of a long session are for a thread to write.
        return self._written(write, texts=False)

    # --- the verbose stream

    def log_thinking(self, content: str, message_id: int | None = None) -> None:
        """Write down what the model thinks."""
        self._note("thinking", {"content": content}, message_id=message_id)

    def log_timing(self, operation: str, duration_ms: float, metadata: Mapping[str, Any] | None = None) -> None:
        """Write down how long something took."""
        data = {"operation": operation, "duration_ms": float(duration_ms), "metadata": dict(metadata or {})}
        self._note("timing", data)

    def log_token_count(self, prompt: int, completion: int, total: int) -> None:
        """Write down what a call of the model took."""
        self._note("token_usage", {"prompt": prompt, "completion": completion, "total": total})

    def _note(self, event_type: str, data: dict[str, Any], *, message_id: int | None = None) -> None:
        if LogStream.VERBOSE not in self._config.streams:
            return
        now = self._config.clock.now()

        def write(batch: Batch) -> int:
            about = message_id if message_id and batch.storage.has_message(message_id) else None
            batch.add_event(event_type, data, at=now, message_id=about)
            return 0

        self._written(write)

    # --- the raw stream

    def log_raw_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        """Write down what is sent to a provider."""
        if self._raw is not None:
            self._raw.write_request(endpoint, payload)

    def log_raw_response(self, status: int, body: Any) -> None:
        """Write down a provider's whole answer."""
        if self._raw is not None:
            self._raw.write_response(status, body)

    def log_raw_chunk(self, chunk: Any) -> None:
        """Write down a piece of a streamed answer."""
        if self._raw is not None:
            self._raw.write_chunk(chunk)

    def get_raw_log_callback(self) -> "RawLogCallbackAdapter | None":
        """Return what a provider tells its requests and answers; None if the raw stream is off."""
        return None if self._raw is None else RawLogCallbackAdapter(self)

    # --- what the model sees of it

    def get_context_messages(self) -> list[Message]:
        """Return the messages that are still in context, with their calls: a summary first, then what it kept.

        Secrets are not in a log, nor are pictures: a message that had some is not quite what it was.
        """
        with self._folder.reading() as storage:
            return context_of(storage)

    def get_token_count(self) -> int:
        """Return the tokens of what is in context."""
        with self._folder.reading() as storage:
            return storage.get_token_count()

    def mark_compacted(self, message_ids: Iterable[int], summary_id: int) -> None:
        """Note that message *summary_id* stands for others, which leave the context.

        Raises:
            NotFoundError: there is no such message.
            InvalidInputError: it would stand for itself.
        """
        replaced = tuple(message_ids)
        self._written(lambda batch: batch.storage.mark_as_summary(summary_id, replaced))

    def mark_dropped(self, message_ids: Iterable[int]) -> None:
        """Note that messages left the context, and that nothing stands for them."""
        dropped = tuple(message_ids)
        self._written(lambda batch: batch.storage.update_context_status(dropped, in_context=False))

    # --- other logs, and the end

    def create_child_logger(self, name: str | None = None) -> "SessionLogger":
        """Begin the log of a subagent, nested in this one: the folder `subagent_NAME`, or six digits for a name.

        Raises:
            InvalidInputError: the name cannot be that of a folder.
            AlreadyExistsError: there is one of this name.
        """
        config = replace(self._config, mode="agent")
        return SessionLogger(config, info=make_folder(config, parent=self.info, name=name))

    def follow_journal(self, session_id: str) -> None:
        """Let the messages come from the journal of a session from now on, and from nowhere else.

        Raises:
            InvalidInputError: messages were logged already, or the log follows another journal.
        """
        with self._folder.batch() as batch:
            known = batch.storage.get_metadata(JOURNAL)
            if known is None and batch.storage.get_messages(in_context_only=False):
                raise InvalidInputError(f"the log {self.session_dir} holds messages already: begin a new one")
            if known not in {None, session_id}:
                raise InvalidInputError(f"the log {self.session_dir} follows session {known}, not {session_id}")
            batch.storage.set_metadata(JOURNAL, session_id)
            self._journal = session_id

    def forget_all(self) -> None:
        """Remove for good all messages and events, and with them what no journal can give back: the instructions,
        notes, and what went over the wire.

        Raises:
            StoreError: a file could not be written.
        """
        with self._folder.batch() as batch:
            batch.rewrites = True
            batch.storage.delete_messages()
            batch.storage.delete_events(derived_only=False)
        if self._raw is not None:
            self._raw.forget()
        elif LogFile(self.session_dir / RAW_FILE).exists():  # from a run in which it was on
            self._raw_writer().forget()
        self._folder.mend()

    def close(self) -> None:
        """Close the files. Closing twice is fine."""
        if self._raw is not None:
            self._raw.close()
        self._folder.close()

    def _written(self, write: Callable[[Batch], int | None], *, texts: bool = True) -> int:
        """Do *write* in a batch and return what it returns; 0 if it cannot be written."""
        try:
            with self._folder.batch(texts=texts) as batch:
                return write(batch) or 0
        except ClosedError:
            raise
        except StoreError as error:
            self._folder.report(error)
            return 0

    def _raw_writer(self) -> RawWriter:
        return RawWriter(self.session_dir, clock=self._config.clock, on_trouble=self._folder.report)


class RawLogCallbackAdapter:
    """One log, as providers know it (`RawLog`). It is handed in with each request, so agents never mix."""

    def __init__(self, logger: SessionLogger) -> None:
        self._logger = logger

    def __repr__(self) -> str:
        return f"RawLogCallbackAdapter({self._logger!r})"

    def on_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        """Note what is sent."""
        self._logger.log_raw_request(endpoint, payload)

    def on_response(self, status: int, body: dict[str, Any]) -> None:
        """Note a whole answer."""
        self._logger.log_raw_response(status, body)

    def on_chunk(self, chunk: dict[str, Any]) -> None:
        """Note a piece of a streamed answer."""
        self._logger.log_raw_chunk(chunk)
