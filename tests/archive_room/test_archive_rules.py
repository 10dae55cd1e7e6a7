from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.archive.rules import ADMITTED, extension, is_pruned, judge_file_name, judge_name

WORDS = {
    "name:password": [
        *(
            "password",
            "passwords",
            "pass word",
            "passwd",
            "passphrase",
            "Passwort",
            "Passwörter",
            "Passwoerter",
        ),
        *("Kennwort", "mot de passe", "mots de passe", "contraseña", "contraseñas", "senha", "palavra passe"),
        *(
            "wachtwoord",
            "hasło",
            "heslo",
            "lösenord",
            "adgangskode",
            "salasana",
            "jelszó",
            "şifre",
            "lozinka",
        ),
        *(
            "пароль",
            "Пароли",
            "密码",
            "密碼",
            "パスワード",
            "暗証番号",
            "비밀번호",
            "كلمة المرور",
            "סיסמה",
            "पासवर्ड",
        ),
        *("κωδικός πρόσβασης", "รหัสผ่าน", "mật khẩu", "kata sandi"),
    ],
    "name:credential": [
        *(
            "credential",
            "credentials",
            "Zugangsdaten",
            "identifiants",
            "credenciales",
            "credenziali",
            "credenciais",
        ),
        *("inloggegevens", "учётные данные", "凭据", "認証情報"),
    ],
    "name:secret": [
        "secret",
        "secrets",
        "Geheimnis",
        "segreti",
        "segredo",
        "секрет",
        "秘密",
        "hemlig",
        "sekret",
    ],
    "name:api-key": [
        "api key",
        "api keys",
        "API-Schlüssel",
        "clé API",
        "clave API",
        "chiave API",
        "access key",
    ],
    "name:private-key": [
        *("private key", "private keys", "ssh key", "privater Schlüssel", "clé privée", "clave privada"),
        *(
            "chiave privata",
            "chave privada",
            "klucz prywatny",
            "закрытый ключ",
            "私钥",
            "id_rsa",
            "id_ed25519",
        ),
    ],
    "name:recovery": [
        "recovery key",
        "seed phrase",
        "backup codes",
        "Wiederherstellungsschlüssel",
        "助记词",
        "BitLocker",
    ],
    "name:vault": ["KeePass", "bitwarden"],
}
EVERY = [(word, rule) for rule, words in WORDS.items() for word in words]
#: Everyday names; several of them hold a forbidden word across two of theirs.
HARMLESS = [
    *("tax return 2019", "Boarding pass", "Mountain Pass", "compass order", "the slow train", "Eisenhandel"),
    *(
        "Schlüsseldienst",
        "Keynote",
        "passport",
        "Pressemitteilung",
        "Hasselblad",
        "rosenhain",
        "close nordic",
    ),
    *(
        "encrypted with pwd hello",
        "identity card",
        "Madrid RSA 2020",
        "what john has labelled",
        "clavecin",
        "keys",
    ),
]


@pytest.mark.parametrize(("word", "rule"), EVERY)
def test_words_of_many_languages(word: str, rule: str) -> None:
    """A word for a password, credential, secret or key excludes, in several languages."""
    assert judge_name(word) == rule
    assert judge_name(word.encode()) == rule
    assert judge_file_name(f"{word}.pdf".encode()) == rule


@pytest.mark.parametrize(
    "name",
    [
        *("PINs", "PIN Brief 2021", "my_creds", "account logins", ".ssh", "гасло", "мої ключі", "κωδικοί"),
        "p\u0430ssw\u043erd",  # with two Cyrillic letters
    ],
)
def test_words_of_their_own(name: str) -> None:
    """Short words exclude where they stand alone, and letters that only look Latin hide nothing."""
    assert judge_name(name) is not None


@pytest.mark.parametrize("name", ["opinion", "spinning top", "tokenizer", "sacred songs", "Мария"])
def test_words_within_words(name: str) -> None:
    """Within another word a short one is chance."""
    assert judge_name(name) is None


@pytest.mark.parametrize("name", HARMLESS)
def test_everyday_names(name: str) -> None:
    """A name that holds no such word comes in."""
    assert judge_name(name) is None


@given(
    choice=st.sampled_from([(word, rule) for word, rule in EVERY if word.isascii()]),
    separator=st.sampled_from(["", " ", "_", "-", ".", "  ", "__", " - ", "\u00a0", "\u200b", "+"]),
    cases=st.lists(st.booleans(), min_size=40, max_size=40),
    before=st.sampled_from(["", "my", "2019", "old-", "The ", "alte "]),
    after=st.sampled_from(["", "2019", "_list", " (1)", "-final", ".bak"]),
)
def test_any_separator_and_case(
    choice: tuple[str, str], separator: str, cases: list[bool], before: str, after: str
) -> None:
    """Neither the case nor what stands between, before or after the words lets a name in."""
    word = choice[0].replace(" ", separator)
    mixed = "".join(c.upper() if up else c.lower() for c, up in zip(word, cases, strict=False))
    whole = choice[0] in {
        "id_rsa",
        "id_ed25519",
        "sekret",
        "hemlig",
        "heslo",
        "senha",
    }  # these are words of their own
    assert judge_name(mixed if whole else before + mixed + after) is not None


@given(st.sampled_from([word for word, _ in EVERY]), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_any_normal_form(word: str, form: str) -> None:
    """A name is judged the same however its accents are encoded."""
    import unicodedata  # noqa: PLC0415 - of this test alone

    assert judge_name(unicodedata.normalize(form, word)) == judge_name(word)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "passwords2019",
        "my-PassWord_list",
        "Passw0rds",
        "P@$$words",
        "ＰＡＳＳＷＯＲＤ",
        "p\u00adassword",
        "myApiKey",
    ],
)
def test_disguises(name: str) -> None:
    """Digits for letters, wide letters, invisible hyphens and camel case do not let a name in."""
    assert judge_name(name) is not None


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("contraseña", "cp1252"), ("contraseña", "cp850"), ("пароль", "cp1251"), ("密码", "gb18030")],
)
def test_names_that_are_not_utf8(name: str, encoding: str) -> None:
    """A name in an old encoding is judged as what it says there."""
    assert judge_name(name.encode(encoding)) == "name:password"


@given(st.binary(max_size=60))
def test_any_bytes_are_judged(name: bytes) -> None:
    """No name, whatever its bytes, is too strange to be judged."""
    assert judge_name(name) is None or str(judge_name(name)).startswith("name:")
    assert judge_file_name(name) is None or str(judge_file_name(name)).startswith("name:")


def test_lock_files() -> None:
    """The lock file that an office program leaves beside an open document is no document."""
    assert judge_file_name(b"~$report.docx") == "name:lock-file"


def test_admitted() -> None:
    """Seventeen extensions are admitted, in any case; a hidden file without a name has none."""
    assert len(ADMITTED) == 17
    assert all(extension(f"a.b.{ext.upper()}") == ext for ext in ADMITTED)
    assert [extension(name) for name in ("a.png", "pdf", ".pdf", "a.pdf ", "a.", "vault.kdbx", "")] == [
        None
    ] * 7


def test_pruned() -> None:
    """Programs' folders are not entered; a folder of curricula is not a version control."""
    pruned = [
        ".git",
        "CVS",
        "node_modules",
        ".venv",
        "Photos.photoslibrary",
        "Mail.APP",
        ".Trash-1000",
        "$RECYCLE.BIN",
    ]
    assert [name for name in pruned if not is_pruned(name)] == []
    assert [
        name
        for name in ("CVs", "letters", "app", "my.notes", "TXT.rtfd", "bundle", "tax 2019.")
        if is_pruned(name)
    ] == []
