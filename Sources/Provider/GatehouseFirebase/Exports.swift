// A program written for Firebase imports this one module instead of FirebaseCore and FirebaseAuth. FirebaseCore exports
// Foundation, so many such programs do not import it.
@_exported public import Foundation
@_exported public import Gatehouse
