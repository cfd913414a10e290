public import IdentityToolkit

/// The templates of messages, by type and language.
///
///     var templates = MessageTemplates()
///     templates["pt", .passwordReset] = .init(
///       subject: "Nova senha para %APP_NAME%", text: "Escolha uma nova senha: %LINK%")
///
/// In subject and text, `%LINK%`, `%EMAIL%` (the account's address), `%NEW_EMAIL%` and `%APP_NAME%` are replaced,
/// except that a subject has no link. A message that verifies or changes an address also has `%CREATED%` and
/// `%CREATED_FROM%`, the time and the network address of the account's creation, and `%NOT_ME_LINK%`, which removes
/// everything that was added before the address was verified, or refuses the change. The message about a second factor
/// has `%ALONE_UNTIL%`, until when its link removes the factor at once, and `%UNTIL%`, its end. An address is `***` if
/// its account has not proved it and it is not the reader's own, or if it has unusual characters: mail programs make
/// links of addresses. English and German are built in. A message is in the language that its caller requests (`pt-BR`,
/// otherwise `pt`), otherwise in English.
public struct MessageTemplates: Sendable, Hashable {
  /// The template of one message.
  public struct Template: Sendable, Hashable {
    /// The subject.
    public var subject: String
    /// The text.
    public var text: String

    /// Makes a template.
    public init(subject: String, text: String) {
      self.subject = subject
      self.text = text
    }
  }

  private struct Key: Sendable, Hashable {
    let language: String
    let type: ActionCodeType
  }

  private var templates: [Key: Template] = [:]

  /// The built-in templates.
  public init() {
    for (type, template) in Self.english { templates[Key(language: "en", type: type)] = template }
    for (type, template) in Self.german { templates[Key(language: "de", type: type)] = template }
  }

  /// The templates of texts to phones, by language. `%CODE%` and `%APP_NAME%` are replaced.
  public var phoneTexts = [
    "en": "%CODE% is your code for %APP_NAME%. Give it to no other person.",
    "de": "%CODE% ist Ihr Code f\u{FC}r %APP_NAME%. Geben Sie ihn keinem anderen.",
  ]

  /// The template for a language (`de`, `pt-BR`) and type; `nil` if there is none.
  public subscript(language: String, type: ActionCodeType) -> Template? {
    get { templates[Key(language: language.lowercased(), type: type)] }
    set { templates[Key(language: language.lowercased(), type: type)] = newValue }
  }

  /// Returns the best template for a language.
  func template(_ type: ActionCodeType, _ locale: String?) -> Template {
    let languages = locale.map { [$0, String($0.prefix { $0 != "-" && $0 != "_" })] } ?? []
    return (languages + ["en"]).lazy.compactMap { self[$0, type] }.first
      ?? Template(subject: "%APP_NAME%", text: "%LINK%")
  }

  /// Returns a text to a phone in the best language.
  func text(of code: Secret, _ locale: String?, appName: String) -> Secret {
    let languages = locale.map { [$0.lowercased(), String($0.lowercased().prefix { $0 != "-" && $0 != "_" })] } ?? []
    let text = (languages + ["en"]).lazy.compactMap { self.phoneTexts[$0] }.first ?? "%CODE%"
    return Secret(
      Template(subject: "", text: text).filled(\.text, ["CODE": .made(code.revealed), "APP_NAME": .operators(appName)]))
  }

  private static let english: [ActionCodeType: Template] = [
    .passwordReset: Template(
      subject: "A new password for %APP_NAME%",
      text: """
        Follow this link to choose a new password for %EMAIL%:

        %LINK%

        If you did not ask for it, do nothing: your password stays as it is.
        """),
    .verifyEmail: Template(
      subject: "Verify your address for %APP_NAME%",
      text: """
        Follow this link to verify the address %EMAIL%:

        %LINK%

        The account was made at %CREATED% (network address: %CREATED_FROM%). If it was not you, follow only this link:
        it removes the account's password and everything else that was added before the address was verified.

        %NOT_ME_LINK%
        """),
    .emailSignIn: Template(
      subject: "Sign in to %APP_NAME%",
      text: """
        Follow this link to sign in to %APP_NAME% as %EMAIL%:

        %LINK%

        It is good for one sign-in. If you did not ask for it, do nothing.
        """),
    .verifyAndChangeEmail: Template(
      subject: "Verify your new address for %APP_NAME%",
      text: """
        Follow this link to sign in as %NEW_EMAIL% from now on, and no longer as %EMAIL%:

        %LINK%

        The link moves the account of %EMAIL% to your address. If that is not your account, another person wants to move
        it here: do not follow the link. Follow only this one, also if you have followed the other one already:

        %NOT_ME_LINK%

        Another account that has the address %NEW_EMAIL% and never verified it will lose it.
        """),
    .recoverEmail: Template(
      subject: "Your address for %APP_NAME% was changed",
      text: """
        The address of your account was changed from %EMAIL% to %NEW_EMAIL%.

        If it was not you, follow this link to take the change back, with everything that was added since:

        %LINK%

        If you never verified %EMAIL%, the link also removes the account's password and everything else that signs in to
        it. Then choose a new password.
        """),
    .addressTakenBack: Template(
      subject: "Your address for %APP_NAME% was replaced",
      text: """
        The owner of %EMAIL% has taken back the change that gave their account the address %OLD_EMAIL%.

        You can no longer sign in to that account as %OLD_EMAIL%.
        """),
    .revertSecondFactorAddition: Template(
      subject: "A second factor for %APP_NAME% was added",
      text: """
        A second factor was added to the account of %EMAIL%.

        If it was not you, follow this link to remove it, and then choose a new password:

        %LINK%

        Until %ALONE_UNTIL% the link removes it at once. Later, until %UNTIL%, it needs the account's password or a
        waiting time.
        """),
    .secondFactorRemoval: Template(
      subject: "A second factor for %APP_NAME% will be removed",
      text: """
        A second factor of the account of %EMAIL% can be removed after %REMOVED_AT%, by the link of the message about
        it. If you have asked for this, follow that link again then.

        If you want to keep the factor, follow this link: it stops the removal.

        %LINK%
        """),
  ]

  private static let german: [ActionCodeType: Template] = [
    .passwordReset: Template(
      subject: "Neues Passwort f\u{FC}r %APP_NAME%",
      text: """
        Mit diesem Link w\u{E4}hlen Sie ein neues Passwort f\u{FC}r %EMAIL%:

        %LINK%

        Wenn Sie es nicht angefordert haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist.
        """),
    .verifyEmail: Template(
      subject: "Best\u{E4}tigen Sie Ihre Adresse f\u{FC}r %APP_NAME%",
      text: """
        Mit diesem Link best\u{E4}tigen Sie die Adresse %EMAIL%:

        %LINK%

        Das Konto wurde am %CREATED% angelegt (Netzadresse: %CREATED_FROM%). Wenn Sie das nicht waren, folgen Sie nur
        diesem Link: Er entfernt das Passwort des Kontos und alles andere, was hinzukam, bevor die Adresse
        best\u{E4}tigt wurde.

        %NOT_ME_LINK%
        """),
    .emailSignIn: Template(
      subject: "Anmeldung bei %APP_NAME%",
      text: """
        Mit diesem Link melden Sie sich als %EMAIL% bei %APP_NAME% an:

        %LINK%

        Er gilt f\u{FC}r eine Anmeldung. Wenn Sie ihn nicht angefordert haben, tun Sie nichts.
        """),
    .verifyAndChangeEmail: Template(
      subject: "Best\u{E4}tigen Sie Ihre neue Adresse f\u{FC}r %APP_NAME%",
      text: """
        Mit diesem Link melden Sie sich von nun an als %NEW_EMAIL% an und nicht mehr als %EMAIL%:

        %LINK%

        Der Link gibt dem Konto von %EMAIL% Ihre Adresse. Wenn das nicht Ihr Konto ist, will ein anderer es hierher
        umziehen: Folgen Sie dem Link nicht. Folgen Sie nur diesem, auch wenn Sie dem anderen schon gefolgt sind:

        %NOT_ME_LINK%

        Ein anderes Konto, das die Adresse %NEW_EMAIL% hat und nie best\u{E4}tigt hat, verliert sie.
        """),
    .recoverEmail: Template(
      subject: "Ihre Adresse f\u{FC}r %APP_NAME% wurde ge\u{E4}ndert",
      text: """
        Die Adresse Ihres Kontos wurde von %EMAIL% in %NEW_EMAIL% ge\u{E4}ndert.

        Wenn Sie das nicht waren, machen Sie es mit diesem Link r\u{FC}ckg\u{E4}ngig, samt allem, was seither
        hinzugekommen ist:

        %LINK%

        Wenn Sie %EMAIL% nie best\u{E4}tigt haben, entfernt der Link auch das Passwort des Kontos und alles andere,
        womit man sich dort anmelden kann. W\u{E4}hlen Sie dann ein neues Passwort.
        """),
    .addressTakenBack: Template(
      subject: "Ihre Adresse f\u{FC}r %APP_NAME% wurde ersetzt",
      text: """
        Wem %EMAIL% geh\u{F6}rt, hat r\u{FC}ckg\u{E4}ngig gemacht, dass sein Konto die Adresse %OLD_EMAIL% bekam.

        Als %OLD_EMAIL% k\u{F6}nnen Sie sich dort nicht mehr anmelden.
        """),
    .revertSecondFactorAddition: Template(
      subject: "Ein zweiter Faktor f\u{FC}r %APP_NAME% kam hinzu",
      text: """
        Das Konto von %EMAIL% hat einen weiteren zweiten Faktor.

        Wenn Sie das nicht waren, entfernen Sie ihn mit diesem Link, und w\u{E4}hlen Sie danach ein neues Passwort:

        %LINK%

        Bis %ALONE_UNTIL% entfernt ihn der Link sofort. Danach braucht er bis %UNTIL% das Passwort des Kontos oder eine
        Wartezeit.
        """),
    .secondFactorRemoval: Template(
      subject: "Ein zweiter Faktor f\u{FC}r %APP_NAME% wird entfernt",
      text: """
        Ein zweiter Faktor des Kontos von %EMAIL% kann nach %REMOVED_AT% entfernt werden, mit dem Link der Nachricht
        \u{FC}ber ihn. Wenn Sie das verlangt haben, folgen Sie jenem Link dann noch einmal.

        Wenn der Faktor bleiben soll, folgen Sie diesem Link: Er verhindert das Entfernen.

        %LINK%
        """),
  ]
}

extension MessageTemplates.Template {
  /// Returns the template with its placeholders replaced, in one pass: inserted values are not scanned for
  /// placeholders.
  func filled(_ text: KeyPath<Self, String>, _ values: [String: MessageValue]) -> String {
    var rest = self[keyPath: text][...]
    var filled = ""
    while let start = rest.firstIndex(of: "%") {
      filled += rest[..<start]
      let after = rest[rest.index(after: start)...]
      guard let end = after.firstIndex(of: "%"), let value = values[String(after[..<end])] else {
        filled.append("%")
        rest = after
        continue
      }
      filled += value.text
      rest = after[after.index(after: end)...]
    }
    return filled + rest
  }
}

extension ActionCodeType {
  /// The message to an address that was replaced by a former one. It has no code.
  static let addressTakenBack = Self(rawValue: "ADDRESS_TAKEN_BACK")
  /// The message about a second factor that will be removed. Its code has the type `revertSecondFactorAddition`.
  static let secondFactorRemoval = Self(rawValue: "SECOND_FACTOR_REMOVAL")
}
