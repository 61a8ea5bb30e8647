import Foundation

/// objc: protocol CLLocationManagerDelegate. All of its methods are optional.
public protocol CLLocationManagerDelegate: AnyObject {
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
}

extension CLLocationManagerDelegate {
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}

/// objc: class CLLocationManager. Its reports come on the main thread, later than the call that causes them, as on a
/// phone.
public final class CLLocationManager: NSObject, @unchecked Sendable {
    /// The answers of the person and the phone.
    public struct Script: Sendable {
        /// The status at the beginning.
        public var status: CLAuthorizationStatus
        /// The status after the person was asked; nil for a person who does not decide.
        public var decision: CLAuthorizationStatus?
        /// The position, or the error.
        public var result: Result<CLLocation, CLError>

        public init(
            status: CLAuthorizationStatus, decision: CLAuthorizationStatus? = nil,
            result: Result<CLLocation, CLError> = .failure(CLError(.locationUnknown))
        ) {
            self.status = status
            self.decision = decision
            self.result = result
        }
    }

    private let script: Script
    // Only the main thread uses these.
    public private(set) var authorizationStatus: CLAuthorizationStatus
    public private(set) var questions = 0
    public private(set) var requests = 0
    public var desiredAccuracy: CLLocationAccuracy = -1

    public weak var delegate: (any CLLocationManagerDelegate)? {
        // objc: the status is reported when a manager is created; here, when it has a delegate.
        didSet { report { $0.locationManagerDidChangeAuthorization($1) } }
    }

    public init(script: Script) {
        self.script = script
        authorizationStatus = script.status
    }

    override public convenience init() { self.init(script: Script(status: .denied)) }

    public func requestWhenInUseAuthorization() {
        guard authorizationStatus == .notDetermined else { return }
        questions += 1
        guard let decision = script.decision else { return }
        report { delegate, manager in
            manager.authorizationStatus = decision
            delegate.locationManagerDidChangeAuthorization(manager)
        }
    }

    public func requestLocation() {
        requests += 1
        report { [script] delegate, manager in
            switch script.result {
            case .success(let location): delegate.locationManager(manager, didUpdateLocations: [location])
            case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
            }
        }
    }

    public func stopUpdatingLocation() {}

    private func report(_ call: @escaping @Sendable (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
        Task { @MainActor in
            if let delegate = self.delegate { call(delegate, self) }
        }
    }
}
