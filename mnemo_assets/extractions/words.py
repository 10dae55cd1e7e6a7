"""Pure: words that are no names, and words that tell what a name is. All in lower case, casefolded.

Short own lists, for precision: a name that only a long list would know is left to the `ner` recipe.
"""

from __future__ import annotations

from typing import Final

# ruff: noqa: SIM905 - a list of words is read, and kept in order, as words

#: Function words, and words that often stand capitalised at the start of a sentence.
STOP: Final = frozenset(
    """
a about above after again against all almost already also although always am among an and another any anyone
anything are as at away back be because been before behind being below beside best between both but by can
could did do does doing done down during each either else enough etc even ever every everybody everyone
everything few first for former from further get give given go going good got had has have having he hello
hence her here hers herself hi him himself his how however i if in indeed instead into is it its itself just
last later least less let like made make many may maybe me mine more most much must my myself near neither
never new next no nobody none nor not nothing now of off often ok okay old on once one only or other others
otherwise our ours out over own per perhaps please quite rather really regards re same see seen several
shall she should since so some somebody someone something sometimes soon still such sure take than thank
thanks that the their theirs them themselves then there therefore these they this those though through
throughout thus to today together tomorrow too toward towards two under unless until unlike up upon us use
used using very via was we well were what whatever when where whether which while who whoever whole whom
whose why will with within without would yes yesterday yet you your yours yourself meanwhile moreover
nevertheless furthermore additionally finally currently recently according despite eventually der die das
den dem des ein eine einer eines einem einen und oder aber nicht ist sind war waren wird werden von vom zu
zum zur mit für auf aus bei nach über unter vor wenn wie was wer wo ich du er sie es wir ihr mein dein sein
unser euer auch noch nur schon sehr heute morgen gestern hier dort dann bitte danke herr frau sehr geehrte
geehrter liebe lieber hallo guten tag im am an in um als dass diese dieser dieses alle keine kein man le la
les un une des du de et ou mais est sont était dans sur pour par avec sans sous ce cette ces il elle nous
vous ils elles je tu mon ma mes ton ta tes son sa ses notre votre leur qui que quoi où quand comment aussi
très bonjour merci au aux el los las una unos unas y o pero es son era en con sin sobre para por del al este
esta estos estas yo tú él ella nosotros ellos ellas mi su sus que quien donde cuando como también muy hola
gracias il lo gli uno e ed ma è di da nel nella con su per tra fra questo questa io lui lei noi voi loro che
chi dove het een en van op te dat die wij zij ik jij maar niet ook naar bij voor os as um uma ou mas é são
não eu ele ela nós eles elas seu sua
""".casefold().split()
)

#: Words of headings, forms, letters and files: alone or together they name nobody.
COMMON: Final = frozenset(
    """
abstract account accounts acknowledgements action actions activity additional address addresses adobe agenda
agreement amount analysis annex announcement annual answer appendix application april article articles
attached attachment attachments archive attendance attn audit august author authors automatic available
average award balance bank banking basic bcc beginning benefits bibliography bill billing board body book
booking boss brother budget business buyer calendar call cash cc chairman change changes chapter chart chat
checklist child city class client clients code comment comments committee common company complete conclusion
conclusions conditions confidential confirmation congratulations contact content contents contract copy
copyright corporate cost costs council country county court cover credit customer customers daily data date
dates day days dear debit december decision default delivery department description design details
development diagram digital director discussion distribution district document documents download draft due
east editor driver education effect encoding email emails employee employer end english entry error estimate
evaluation event events example executive exhibit expenses experience experiment export family faq father
fax feature features february federal fee fees field figure figures file files final finance financial
findings folder font footnote form format forward friday friend fund fwd general girl global goal goals
government grand great group guide guidelines head heading health help high history home homepage hours
house html http https human id image images implementation important index information input insert
insurance interest internal international internet interview introduction inventory invoice invoices issue
item items january job journal july june key keywords kind lady landlord language law left legal lesson
letter level license limited line link links list literature local location login logo lower mail main
management manager manual map march market marketing master material materials may measure medical meeting
member members memo memoir memorandum menu message method methods mobile model module monday money month
monthly mother mr mrs ms name names national net network news newsletter no north note notes notice november
null number number object objective october office offer online open opening option order orders
organization original output overview owner package page pages paper paragraph parameters part participants
parties partner party password patient pay payment payments pdf people percent period person personal phone
photo picture place plan point policy population position preface preparation present president price prices
privacy private problem procedure proceedings process product products profile profit program project
projects proposal public publication purpose quality quantity question questions quote rate reader reading
receipt received recipient recommendations record reference references region register registration related
release remarks reminder rent report reports request requirements research response result results return
returns review revision right risk road role rule rules salary sale sales sample saturday schedule school
science scope search section security select sender sent september series service services session settings
sheet shipping signature signed sister site size slide social software solution source south special
specification staff standard state statement states station status step street structure student students
study subject submitted subtotal summary sunday supplier support surname survey system systems table target
task tasks tax team technical technology tel telephone term terms test text thursday time title today tool
topic topics total town trade training transaction transfer travel treasurer tuesday type unit untitled
update upper url usage user users value values vat version video view visit volume warning web website
wednesday week weekly west word work workshop world year years yearly zip sir madam sirs madams everybody
folks guys team colleague colleagues applicant all resident occupant sincerely truly faithfully montag
dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
rechnung rechnungsnummer betreff anlage anlagen datum seite vertrag anschrift adresse telefon kunde kunden
kundennummer betrag summe gesamt mwst bericht inhalt kapitel abschnitt anhang einleitung zusammenfassung
straße strasse platz stadt land jahr tage damen herren kollegen kolleginnen team mitarbeiter geschäftsführer
vorstand verein gesellschaft angebot lieferung bestellung konto überweisung grüße grüßen lundi mardi
mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre
novembre décembre facture objet sommaire annexe rue ville société monsieur madame messieurs mesdames lunes
martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre
octubre noviembre diciembre factura asunto fecha página calle señor señora señores lunedì martedì mercoledì
giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
fattura oggetto pagina signor signora signori mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep
sept oct nov dec am pm gmt utc cet cest est pst bst ceo cfo cto coo hr pr faq ps nb tbd tba n/a rsvp asap
fyi isbn issn doi iban bic pin usb cd dvd tv pc api sql xml json csv eur usd gbp chf
""".casefold().split()
)

#: Languages and peoples: adjectives, not the places.
PEOPLES: Final = frozenset(
    """
african american arab arabic argentine asian australian austrian belgian brazilian british bulgarian
canadian catholic chilean chinese christian colombian croatian cuban czech danish dutch egyptian english
estonian european finnish french german greek hebrew hindu hungarian indian indonesian iranian iraqi irish
islamic israeli italian japanese jewish korean latin latvian lithuanian mexican muslim norwegian pakistani
palestinian persian peruvian polish portuguese protestant romanian russian scottish serbian slovak slovenian
spanish swedish swiss syrian thai turkish ukrainian vietnamese welsh deutsch deutsche deutschen deutscher
deutsches englisch französisch italienisch spanisch
""".casefold().split()
)

#: May stand in lower case within a person's name.
PARTICLES: Final = frozenset(
    "von van de der den del della di da do dos das du la le zu zur ter ten bin al el af av".split()
)

#: A run of capitalised words that ends with one of these is an organisation.
ORG_TAILS: Final = frozenset(
    """
academy agency airlines airways alliance associates association authority bank bros brothers bureau capital
chemicals church clinic club college commission committee communications company congress consulting
corporation council court electronics energy enterprises entertainment federation firm foundation fund group
holding holdings hospital industries institute institution insurance laboratories laboratory library
logistics media ministry motors museum network networks newspapers office orchestra organisation
organization parliament partners party pharmaceuticals police polytechnic press records school senate
society solutions studios supermarkets systems technologies technology telecom theatre times trust union
universität university ventures verlag versicherung works stiftung gesellschaft klinik krankenhaus sparkasse
hochschule bundesbank gymnasium
""".casefold().split()
)

#: After a first name these make a street, a building or an event of it, not a person.
NOT_SURNAMES: Final = ORG_TAILS | frozenset(
    """
area bay center centre hills rink field park pier court garden gardens airport avenue award awards beach
bridge building castle cathedral county day drive hall harbour hill hotel house island lake lane line
mountain palace park place plaza prize project river road room square stadium station street tower town
valley village weg straße strasse platz allee gasse
""".casefold().split()
)

#: Offices that stand before a name: "President Ann Miller".
OFFICES: Final = frozenset(
    """
president vice prime minister senator chancellor captain colonel sergeant lieutenant inspector detective
commissioner governor mayor ambassador councillor congressman congresswoman chairman chairwoman coach judge
spokesman spokeswoman director manager secretary dr mr mrs ms miss prof professor sir dame herr herrn frau
monsieur madame mme mlle señor señora sr sra signor signora sig doctor nurse aunt uncle grandma grandpa
cousin kanzler bundeskanzler bundeskanzlerin präsident präsidentin minister ministerin bürgermeister
rechtsanwalt rechtsanwältin notar
""".casefold().split()
)

#: Before a name these are of it: "West Germany", "New Jersey", "San Francisco", "Los Angeles".
QUALIFIERS: Final = frozenset(
    """
new north south east west northern southern eastern western central upper lower san santa santo saint st
sankt los las el la le de port fort mount lake cape great greater
""".casefold().split()
)
