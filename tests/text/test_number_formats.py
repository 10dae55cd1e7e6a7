from __future__ import annotations

import random

import pytest

from mnemo_assets.text.number_formats import shown


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        ("42", "", "42"),
        ("0.30000000000000004", "General", "0.3"),
        ("1.5E-3", "", "0.0015"),
        ("n/a", "0.00", "n/a"),
        ("nan", "m/d/yy", "nan"),
        ("1240.5", "0.00", "1240.50"),
        ("1240.5", '#,##0.00 "€"', "1240.50 €"),
        ("1240.5", "[$CHF-807] #,##0.00", "CHF 1240.50"),
        ("-5", '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-;_-* "-"??_-;_-@_-', "-5.00 €"),
        ("0", '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-;_-* "-"??_-;_-@_-', "-"),
        ("-1.2", "$#,##0.00", "-$1.20"),
        ("-12", "#,##0;(#,##0)", "(12)"),
        ("0.125", "0%", "13%"),
        ("0.125", "0.0%", "12.5%"),
        ("2.5", "0.###", "2.5"),
        ("2", "0.###", "2"),
        ("1234567", '0.0,,"M"', "1.2M"),
        ("1234567", "# ##0", "1234567"),
        ("1234", "00000", "01234"),
        ("5551234567", "(000) 000-0000", "(555) 123-4567"),
        ("0.5", "# ?/?", "0.5"),
        ("12345.678", "0.00E+00", "12345.678"),
        ("5", 'General" kg"', "5 kg"),
        ("1", '"yes";"no"', "yes"),
        ("5000", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "5.0K"),
        ("-3", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "-3"),
        ("0", '[=1]"Yes";[=0]"No";General', "No"),
        ("7", '[=1]"Yes";[=0]"No";General', "7"),
        ("2125551234", "[<=9999999]###-####;(###) ###-####", "(212) 555-1234"),
        ("-5", '[Red][<0]0 "below";0', "5 below"),
        ("-5", '[>=0]0;0 "below"', "5 below"),
        ("-5", '[<>0]0 "is";"none"', "-5 is"),
        ("-5", '[>100]0;0 "below";0 "else"', "5 below"),
        ("-3", '[<-5]0 "low";0 "rest"', "-3 rest"),
        ("7", '[< 5.5]0 "a";[>10]0 "b"', "7"),
        ("5", ";;;", "5"),
        ("7", "@", "7"),
        ("1e300", "0.00", "1e+300"),
    ],
)
def test_a_number_is_shown_as_its_format_has_it(value: str, code: str, expected: str) -> None:
    """Digits, signs, currencies, percentages and literals are what is seen; a hidden number is text."""
    assert shown(value, code) == expected


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        ("43831", "m/d/yy", "2020-01-01"),
        ("43831.5", "yyyy-mm-dd h:mm", "2020-01-01 12:00"),
        ("43831", "[$-F800]dddd, mmmm dd, yyyy;@", "2020-01-01"),
        ("43831", 'ggge"年"m"月"d"日"', "2020-01-01"),
        ("43831", 'd" de "mmmm', "2020-01-01"),
        ("43831", "0_d", "43831"),
        ("43831", '0" days"', "43831 days"),
        ("43831", "[Red]0", "43831"),
        ("0.75", "h:mm AM/PM", "18:00"),
        ("0.000011574", "mm:ss.0", "00:00:01"),
        ("1.25", "[h]:mm:ss", "30:00:00"),
        ("1", "d.m.yyyy", "1900-01-01"),
        ("60", "d.m.yyyy", "1900-02-29"),
        ("61", "d.m.yyyy", "1900-03-01"),
        ("-4", "d.m.yyyy", "-4"),
        ("1e300", "d.m.yyyy", "1e+300"),
    ],
)
def test_a_day_is_told_by_its_format(value: str, code: str, expected: str) -> None:
    """What stands in quotes, brackets and behind a backslash makes no day; no day is shown as the number."""
    assert shown(value, code) == expected


def test_days_may_be_counted_from_1904() -> None:
    """The system of the first Macintosh, in which there is no wrong leap day."""
    assert shown("0", "d.m.yyyy", since_1904=True) == "1904-01-01"
    assert shown("42369", "d.m.yyyy", since_1904=True) == "2020-01-01"


def test_any_format_shows_something() -> None:
    """Random formats and numbers neither fail nor grow."""
    chooser = random.Random(3)
    for _ in range(20_000):
        code = "".join(chooser.choices('0#?.,/%;[]"\\_*$-E+mdyhsGa AMP@eb', k=chooser.randrange(12)))
        value = chooser.choice(
            ["0", "-1", "0.5", "43831.7", "1e300", "-1e300", "123456789", "1e-300", "5e14"]
        )
        assert len(shown(value, code)) < 400
    assert len(shown("1", "0" * 1_000_000)) < 2000
