"""The words for passwords, keys and secrets that a path may not hold. Pure: a vocabulary, no code.

Words stand folded, as `rules.judge_name` compares them: lower case, without accents, spaces and hyphens. The
languages are those of Europe and the largest beyond it. A word that is missing is a leak and a word too many
is a file the owner sees under `excluded`, so that a doubtful one is in.
"""

from __future__ import annotations

from typing import Final

#: Found anywhere in a component, whatever stands between its letters: long enough not to occur by chance.
#: "secret" takes "secretary" with it: "Secretary of State" is the price of "secretaccounts".
STEMS: Final[dict[str, str]] = {
    "password": """
        password passwd passwrd passphrase passcode passkey pincode pinnumber codepin
        passwort passwoert kennwort kennwoert losungswort losungswoert pinnummer tanliste
        motdepasse motsdepasse contrasena contrasenya contrasinal pasahitz
        palavrapasse palavraspasse palavradepasse palavrasdepasse minhasenha minhassenhas
        wachtwoord paswoord wagwoord adgangskode salasana salasona slaptazod lozink zaporka
        fjalekalim cyfrinair matkhau katasandi katalaluan
        парол лозинк құпиясөз κωδικοςπροσβασης κωδικοιπροσβασης συνθηματικ პაროლ գաղտնաբառ
        密码 密碼 口令 パスワード パスコード パスフレーズ 暗証番号 合言葉 비밀번호 패스워드 암호
        كلمةالمرور كلمةالسر كلماتالمرور كلماتالسر كلمةمرور كلمةسر الرقمالسري رمزعبور گذرواژه پاسورڈ סיסמ
        पासवर्ड कूटशब्द পাসওয়ার্ড รหัสผ่าน
    """,
    "credential": """
        credential accesscode securitycode wifikey wlankey wlanschlussel wlanschluessel
        logindata logindetail logininfo accessdata
        zugangsdat zugangscode anmeldedat logindaten einwahldat
        identifiant codedacces codesdacces credencia datosdeacceso dadosdeacesso credenzial datidiaccesso
        inloggegeven inlogcode toegangsgegeven toegangscode danelogowania danedologowania poswiadczeni
        prihlasovaciudaje prihlasovacieudaje inloggningsuppgift loginoplysning adgangsoplysning
        palogginsinformasjon innloggingsinformasjon kirjautumistie kimlikbilgi
        учетныеданные учетнымиданными обліковідані διαπιστευτηρι
        凭据 憑據 登录凭证 登入憑證 認証情報 ログイン情報 クレデンシャル 자격증명 로그인정보
    """,
    "secret": """
        secret geheim segreto segreti segreta segrete segredo hemmelig salainen salaisuu
        секрет μυστικ 秘密 シークレット 비밀 시크릿
    """,
    "api-key": """
        apikey apitoken accesskey licensekey licencekey accesstoken authtoken bearertoken
        apischlussel apischluessel zugriffsschlussel zugriffsschluessel zugriffstoken
        cleapi clesapi clefapi clefsapi claveapi clavedeapi clavesapi clavesdeapi llaveapi llavedeapi
        chiaveapi chiaviapi chaveapi chavedeapi chavesdeapi apisleutel kluczapi kluczeapi apiklic
        apiklice klicapi apinyckel apinycklar apinogle apinokkel apiavain apianahtar
        apiключ ключapi ключиapi api密钥 api密鑰 api鍵 apiキー api키
    """,
    "private-key": """
        privatekey privkey sshkey gpgkey pgpkey signingkey encryptionkey decryptionkey masterkey
        privaterschlussel privatenschlussel privateschlussel privatschlussel
        privaterschluessel privatenschluessel privateschluessel privatschluessel
        cleprivee clesprivee clefprivee clefsprivee claveprivada clavesprivada llaveprivada llavesprivada
        chiaveprivata chiaviprivate chaveprivada chavesprivada clauprivada cheieprivata cheiaprivata
        privesleutel privatesleutel kluczprywatny kluczeprywatne soukromyklic soukromeklice privatniklic
        sukromnykluc privatnykluc privatnikljuc zasebnikljuc
        privatnyckel privatanyckel privatanycklar privatnogle privatenogle privatnokkel
        yksityinenavain yksityisavain privatkulcs magankulcs ozelanahtar khoariengtu khoabimat kunciprivat
        закрытыйключ закрытыеключ приватныйключ приватныеключ личныйключ приватнийключ
        приватніключі закритийключ закритіключі
        ιδιωτικοκλειδι 私钥 私鑰 密钥 密鑰 プライベートキー 개인키 프라이빗키 مفتاحخاص المفتاحالخاص
    """,
    "recovery": """
        recoverykey recoverycode recoveryphrase recoveryseed recoveryword backupcode
        seedphrase seedword walletseed mnemonicphrase mnemonicseed mnemonicword bitlocker
        wiederherstellungsschlussel wiederherstellungsschluessel wiederherstellungscode
        clederecup clefderecup clesderecup codederecup codesderecup phrasederecup
        clavederecup clavesderecup frasederecup frasesemilla frasesemente codigoderecup codigosderecup
        chavederecup chiavediripristino chiavedirecupero frasediripristino frasedirecupero
        codicedirecupero codicidirecupero herstelsleutel herstelcode herstelzin
        kluczodzyskiwania kododzyskiwania kodyodzyskiwania
        obnovovaciklic aterstallningsnyckel gendannelsesnogle palautusavain
        ключвосстановления кодывосстановления кодвосстановления сидфраз мнемоническ
        助记词 助記詞 恢复代码 恢复码 回復キー リカバリーキー リカバリーコード 복구키 복구코드 시드문구 니모닉
    """,
    "vault": "keepass lastpass bitwarden dashlane nordpass roboform protonpass",
}

#: Found at the beginning or the end of a word: in the middle, or across two words, they occur by chance
#: ("Eisenhandel", "compass order", "the slow train").
PARTS: Final[dict[str, str]] = {
    "password": "senha senhas haslo heslo losenord kodeord passord jelszo jelszav sifre lykilord",
    "secret": "hemlig gizli tajemstvi tajemnic тайн таемн таємн",
}

#: Found as whole words, in this order.
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "password": (
        *(
            "pwds",
            "pw",
            "pws",
            "psw",
            "passw",
            "mdp",
            "mdps",
            "pin code",
            "pin codes",
            "clave",
            "claves",
        ),
        *("parola", "parolam", "parolalar", "parol", "paroli", "parool", "hasla", "hesla", "geslo", "gesla"),
        *("losen", "nywila", "pin", "pins", "puk", "puks", "otp", "parolen", "гасло", "гасла"),
        *("κωδικος", "κωδικοι", "κωδικων", "κωδικους", "รหัส"),
    ),
    "credential": ("cred", "creds", "login", "logins", "token", "tokens"),
    "secret": (
        "sekret",
        "sekrety",
        "sekretne",
        "tajne",
        "tajny",
        "tajna",
        "tajni",
        "titok",
        "titkos",
        "סוד",
        "סודי",
    ),
    "private-key": (
        "id rsa",
        "id dsa",
        "id ecdsa",
        "id ed",
        "ppk",
        "ssh",
        "gnupg",
        "keyfile",
        "ключи",
        "ключі",
    ),
    "recovery": ("totp",),
    "vault": ("enpass", "kdbx", "kdb", "keychain", "wallet", "tresor"),
}

#: Found as the first or the last word: between others it is about a password ("locked with pwd, copy 2").
ENDS: Final[dict[str, tuple[str, ...]]] = {"password": ("pwd",)}
