import Foundation
import Gatehouse
import IdentityToolkit

extension TourStop {
  static let profileChanges = TourStop("Two profile changes at once lose nothing") { stage, evidence in
    let user = try stage.user()
    let before = stage.backend.calls(of: Update.self)
    let naming = Task {
      let change = user.createProfileChangeRequest()
      change.displayName = "Ada Lovelace"
      try await change.commitChanges()
    }
    let picturing = Task {
      let change = user.createProfileChangeRequest()
      change.photoURL = URL(string: "https://example.com/ada.png")
      try await change.commitChanges()
    }
    try await naming.value
    try await picturing.value
    let known = user.profile
    try await user.reload()

    for (place, profile) in [("here", known), ("at the provider", user.profile)] {
      evidence.expect("the name \(place)", profile.displayName, is: "Ada Lovelace")
      evidence.expect("the picture \(place)", profile.photoURL, is: "https://example.com/ada.png")
    }
    let (updates, most) = (
      stage.backend.calls(of: Update.self) - before, stage.backend.mostUnderWay(of: Update.self)
    )
    evidence.expect("update calls", updates, is: 2)
    evidence.expect("update calls at once", most, is: 1)
    evidence.note = "\(updates) updates, \(most) at a time; name and picture are here and at the provider"
  }
}
