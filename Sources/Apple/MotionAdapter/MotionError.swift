import Core

/// Motion data that cannot be read. No message contains any of them.
public enum MotionError: String, CodedError, Hashable, CaseIterable {
    /// The phone has no motion coprocessor.
    case unavailable = "motion-unavailable"
    /// The person, or the device's administrator, does not permit it.
    case denied = "motion-denied"
    /// The system reports another error.
    case failed = "motion-failed"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .unavailable: "This phone does not record motion: continue without it."
        case .denied: "The app may not read motion and fitness data: permit it in the system's settings."
        case .failed: "The motion data cannot be read now: try again later."
        }
    }
}
