import FoundationEssentials
import GatehouseBase
import GatehouseCrypto

/// A page that an emulator shows in a browser.
///
/// A page contains no text of its request, except in its data, which only its script reads. So no request can add
/// markup or code to a page.
struct EmulatorPage: Sendable {
  /// The elements of the body, in HTML.
  let body: String
  /// The page's script.
  let script: String
  /// The addresses of further scripts, which the page loads itself; empty if it loads none.
  var otherScripts: [String] = []

  /// Returns the page.
  ///
  /// - Parameter data: the values that the script reads from the element `data`.
  func response(data: JSONObject = [:]) throws -> ServerResponse {
    // This character is part of a text in JSON, and could end the element in HTML.
    let data = data.description.replacing("<", with: "\\u003c")
    let html = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Gatehouse Auth Emulator</title>
      <style>\(Self.style)</style>
      \(body)
      <script type="application/json" id="data">\(data)</script>
      <script>\(script)</script>
      \(otherScripts.map { "<script src=\"\($0)\" async></script>" }.joined(separator: "\n"))
      </html>

      """
    return ServerResponse(
      status: 200,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": try contentPolicy,
      ],
      body: Array(html.utf8))
  }

  /// The browser applies the page's own script and style only. A script of another server may load more, so that page
  /// has no rule about scripts.
  private var contentPolicy: String {
    get throws {
      let common = "base-uri 'none'; form-action 'none'; object-src 'none'"
      guard otherScripts.isEmpty else { return common }
      let (script, style) = (try Self.hash(script), try Self.hash(Self.style))
      return "default-src 'none'; script-src \(script); style-src \(style); \(common)"
    }
  }

  /// Returns the hash of an element's text, as a policy names it.
  private static func hash(_ text: String) throws -> String {
    "'sha256-\(Data(try HashAlgorithm.sha256.hash(Array(text.utf8))).base64EncodedString())'"
  }

  private static let style = """
    :root { color-scheme: light dark }
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 2rem auto; padding: 0 1rem }
    ul { list-style: none; padding: 0 }
    li { border: 1px solid #8888; border-radius: .4rem; margin: .5rem 0; cursor: pointer }
    li button { all: unset; display: block; padding: .5rem .8rem }
    li button:focus-visible { outline: 2px solid; border-radius: .4rem }
    small { display: block; opacity: .7 }
    label { display: block; margin: .8rem 0 }
    input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .3rem }
    form button, .js-new-account { font: inherit; padding: .4rem .8rem; margin-right: .5rem }
    """
}
