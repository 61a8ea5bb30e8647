import Core

/// A location that could not be determined. No message contains a position or an address.
public enum LocationError: String, CodedError, Hashable, CaseIterable {
    /// The person, or the device's administrator, does not permit it.
    case denied = "location-denied"
    /// The system has no position now.
    case unavailable = "location-unavailable"
    /// The position has no address, or the address has no part that may leave the phone.
    case addressUnknown = "location-address-unknown"
    /// Another request of the same reader is in progress.
    case busy = "location-busy"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .denied: "The app may not use the location: permit it in the system's settings, or type the ZIP code."
        case .unavailable: "The location cannot be determined now: try again later, or type the ZIP code."
        case .addressUnknown: "No state is known for this location: type the state and the ZIP code."
        case .busy: "The location is being determined already: wait for it."
        }
    }
}
