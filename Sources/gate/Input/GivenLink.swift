import Gatehouse
import GatehouseBase

/// The content of a link, or a code that came without a link. Spaces, quotes and brackets around it are removed.
struct GivenLink: Sendable {
  /// The link or code itself.
  let text: Secret
  let code: Secret
  let tenantID: String?

  init(_ given: Secret) {
    let marks: Set<Character> = ["\"", "'", "<", ">", "\u{201C}", "\u{201D}"]
    func isAround(_ letter: Character) -> Bool { letter.isWhitespace || marks.contains(letter) }
    let text = String(given.revealed.drop(while: isAround).reversed().drop(while: isAround).reversed())
    self.text = Secret(text)
    let link = ActionCodeURL(link: text)
    code = Secret(link?.code ?? text)
    tenantID = link?.tenantID
  }
}
