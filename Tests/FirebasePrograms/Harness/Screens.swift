// Stand-ins for UIKit and SwiftUI, in the shapes that tutorials use.

/// A screen.
@MainActor
class UIViewController {
  init() {}
  func viewDidLoad() {}
  func viewWillAppear(_ animated: Bool) {}
  func viewWillDisappear(_ animated: Bool) {}
}

/// A line of text on a screen.
@MainActor
final class UILabel {
  var text: String? { didSet { print("label:", text ?? "") } }
  init() {}
}

/// A field that the user has filled in.
@MainActor
final class UITextField {
  var text: String?
  init(_ text: String) { self.text = text }
}
