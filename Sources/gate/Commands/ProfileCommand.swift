import ArgumentParser
import Foundation
import Gatehouse
import GatehouseBase

/// `gate profile`
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Change the signed-in user's name and picture.",
    discussion: "What is not named stays as it is. gate whoami shows both, and an administrator has gate users update.")

  @Option(help: ArgumentHelp("The name to show; an empty one removes it.", valueName: "name")) var displayName: String?
  @Option(
    name: .customLong("photo-url"),
    help: ArgumentHelp("The picture's address; an empty one removes it.", valueName: "url"))
  var photoURL: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if displayName == nil, photoURL == nil {
      throw ValidationError("say what is to change: --display-name, --photo-url or both")
    }
    if let photoURL, !photoURL.isEmpty, !["https", "http"].contains(URL(string: photoURL)?.scheme?.lowercased()) {
      throw ValidationError("--photo-url is no address such as https://example.com/me.png")
    }
  }

  func run() async throws {
    let (line, json) = try await home.home().withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      let request = user.createProfileChangeRequest()
      if let displayName { request.displayName = displayName.isEmpty ? nil : displayName }
      if let photoURL { request.photoURL = photoURL.isEmpty ? nil : URL(string: photoURL) }
      try await typed { try await request.commitChanges() }
      return (user.line, user.json)
    }
    try answer.write("changed the profile of \(line)", json: json)
  }
}
