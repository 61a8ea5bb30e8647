#if canImport(CoreLocation)
    import CoreLocation
    import Foundation
    import InformedConsent

    /// Reads the phone's location once, and reduces it on the phone.
    ///
    /// ```swift
    /// let reader = LocationReader()
    /// let location = try await reader.current()
    /// answers.person = location.replacing(in: answers.person)
    /// ```
    /// The position has the accuracy of a kilometre and is kept in memory only. To find its address, the system sends it
    /// to Apple; the study gets state and area alone. The app needs `NSLocationWhenInUseUsageDescription` in its
    /// Info.plist. Keep the reader until the call returns.
    @MainActor public final class LocationReader {
        private let manager: CLLocationManager
        private let geocoder: CLGeocoder
        private let rules: Pseudonymization
        private let delegate = LocationDelegate()
        private var waiting: CheckedContinuation<CLLocation, any Error>?
        /// The requests of the present call that were made: the system also reports a status that did not change.
        private var requested: Set<Request> = []

        private enum Request { case permission, position }

        /// Creates a reader, which asks for nothing yet.
        ///
        /// - Parameters:
        ///   - rules: the rules of the study for small areas.
        ///   - manager: the source of positions.
        ///   - geocoder: the source of addresses.
        public init(
            rules: Pseudonymization = Pseudonymization(), manager: CLLocationManager = CLLocationManager(),
            geocoder: CLGeocoder = CLGeocoder()
        ) {
            (self.rules, self.manager, self.geocoder) = (rules, manager, geocoder)
            manager.desiredAccuracy = kCLLocationAccuracyKilometer
            delegate.report = { [weak self] event in self?.handle(event) }
            manager.delegate = delegate
        }

        /// Returns the reduced location of the phone. If the person was not asked yet, the system asks, and the call
        /// waits for the decision.
        ///
        /// - Throws: ``LocationError``; `CancellationError`.
        public func current() async throws -> PseudonymousLocation {
            guard waiting == nil else { throw LocationError.busy }
            let position = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    guard !Task.isCancelled else { return finish(.failure(CancellationError())) }
                    handle(.statusChanged)
                }
            } onCancel: {
                Task { @MainActor in self.finish(.failure(CancellationError())) }
            }
            guard let address = await Self.address(of: position, geocoder),
                let location = PseudonymousLocation(address, by: rules)
            else { throw LocationError.addressUnknown }
            return location
        }

        // MARK: - Position

        private func handle(_ event: LocationDelegate.Event) {
            // Without a call, the system's reports mean nothing: it reports the status of each new manager.
            guard waiting != nil else { return }
            switch event {
            case .statusChanged:
                switch manager.authorizationStatus {
                case .notDetermined:
                    if requested.insert(.permission).inserted { manager.requestWhenInUseAuthorization() }
                case .denied, .restricted: finish(.failure(LocationError.denied))
                default: if requested.insert(.position).inserted { manager.requestLocation() }
                }
            case .found(let position): finish(.success(position))
            case .failed(let isDenied):
                finish(.failure(isDenied ? LocationError.denied : LocationError.unavailable))
            }
        }

        private func finish(_ result: Result<CLLocation, any Error>) {
            guard let continuation = waiting else { return }
            (waiting, requested) = (nil, [])
            manager.stopUpdatingLocation()
            continuation.resume(with: result)
        }

        // MARK: - Address

        /// Returns the parts of the address that are reduced further; nil if there is none.
        private static func address(of position: CLLocation, _ geocoder: CLGeocoder) async -> PersonFacts? {
            await withCheckedContinuation { continuation in
                geocoder.reverseGeocodeLocation(position, completionHandler: handler(continuation))
            }
        }

        /// Made outside of the main actor: the system does not promise its thread.
        private nonisolated static func handler(
            _ continuation: CheckedContinuation<PersonFacts?, Never>
        ) -> CLGeocodeCompletionHandler {
            { placemarks, _ in
                let placemark = placemarks?.first
                continuation.resume(
                    returning: placemark.map {
                        PersonFacts(
                            postalCode: $0.postalCode, state: $0.administrativeArea,
                            country: $0.isoCountryCode ?? $0.country)
                    })
            }
        }
    }

    /// Receives the reports of Core Location, which come on the thread of the manager: the main one.
    final class LocationDelegate: NSObject, CLLocationManagerDelegate, Sendable {
        enum Event: Sendable {
            case statusChanged
            case found(CLLocation)
            case failed(isDenied: Bool)
        }

        @MainActor var report: (Event) -> Void = { _ in }

        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { pass(.statusChanged) }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            if let newest = locations.last { pass(.found(newest)) }
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            pass(.failed(isDenied: (error as? CLError)?.code == .denied))
        }

        private func pass(_ event: Event) {
            MainActor.assumeIsolated { report(event) }
        }
    }
#endif
