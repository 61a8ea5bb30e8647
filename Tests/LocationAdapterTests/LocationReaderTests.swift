#if canImport(CoreLocation)
    import CoreLocation
    import InformedConsent
    import LocationAdapter
    import Testing

    /// The reader against a stand-in for Core Location.
    @MainActor @Suite struct LocationReaderTests {
        private nonisolated static let boston = CLLocation(latitude: 42.36, longitude: -71.06)

        private nonisolated static func geocoder(_ code: String = "02139", country: String? = "US") -> CLGeocoder {
            CLGeocoder {
                let address = CLPlacemark(
                    isoCountryCode: country, country: country, administrativeArea: "MA", locality: "Cambridge",
                    thoroughfare: "Main Street", postalCode: code)
                return ([address], nil)
            }
        }

        private func manager(
            _ status: CLAuthorizationStatus, decision: CLAuthorizationStatus? = nil,
            _ result: Result<CLLocation, CLError> = .success(boston)
        ) -> CLLocationManager {
            CLLocationManager(script: .init(status: status, decision: decision, result: result))
        }

        private func error(_ reader: LocationReader) async -> (any Error)? {
            do {
                _ = try await reader.current()
                return nil
            } catch { return error }
        }

        @Test func personIsAskedOnceAndTheReducedLocationIsReturned() async throws {
            let manager = manager(.notDetermined, decision: .authorizedWhenInUse)
            let reader = LocationReader(manager: manager, geocoder: Self.geocoder())
            #expect(manager.questions == 0 && manager.requests == 0, "creating a reader asks for nothing")
            let location = try await reader.current()
            #expect(location.country == "US" && location.state == "MA" && location.area == "021")
            #expect(manager.questions == 1 && manager.requests == 1)
            #expect(manager.desiredAccuracy == 1_000)
            // A second call needs no question.
            #expect(try await reader.current() == location)
            #expect(manager.questions == 1 && manager.requests == 2)
        }

        @Test func smallAreaIsHiddenByTheRulesOfTheStudy() async throws {
            let small = LocationReader(
                manager: manager(.authorizedAlways), geocoder: Self.geocoder("03601"))
            #expect(try await small.current().area == "000")
            let strict = LocationReader(
                rules: Pseudonymization(restrictedPrefixes: ["021"]), manager: manager(.authorizedWhenInUse),
                geocoder: Self.geocoder())
            #expect(try await strict.current().area == "000")
        }

        @Test(arguments: [CLAuthorizationStatus.denied, .restricted])
        func refusedPermissionIsAnError(status: CLAuthorizationStatus) async {
            let denied = manager(status)
            #expect(
                await error(LocationReader(manager: denied, geocoder: Self.geocoder())) as? LocationError == .denied)
            #expect(denied.questions == 0 && denied.requests == 0)
            let asked = manager(.notDetermined, decision: status)
            #expect(await error(LocationReader(manager: asked, geocoder: Self.geocoder())) as? LocationError == .denied)
            #expect(asked.questions == 1 && asked.requests == 0)
        }

        @Test func missingPositionAndMissingAddressAreErrors() async {
            let without = manager(.authorizedWhenInUse, .failure(CLError(.locationUnknown)))
            #expect(
                await error(LocationReader(manager: without, geocoder: Self.geocoder())) as? LocationError
                    == .unavailable)
            let late = manager(.authorizedWhenInUse, .failure(CLError(.denied)))
            #expect(await error(LocationReader(manager: late, geocoder: Self.geocoder())) as? LocationError == .denied)
            let nowhere = LocationReader(
                manager: manager(.authorizedWhenInUse), geocoder: CLGeocoder { (nil, CLError(.geocodeFoundNoResult)) })
            #expect(await error(nowhere) as? LocationError == .addressUnknown)
            let empty = LocationReader(
                manager: manager(.authorizedWhenInUse), geocoder: CLGeocoder { ([CLPlacemark()], nil) })
            #expect(await error(empty) as? LocationError == .addressUnknown)
        }

        @Test func cancelledCallEndsAlthoughThePersonDoesNotDecide() async throws {
            let manager = manager(.notDetermined)
            let reader = LocationReader(manager: manager, geocoder: Self.geocoder())
            let call = Task { try await reader.current() }
            while manager.questions == 0 { await Task.yield() }
            #expect(await error(reader) as? LocationError == .busy)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }

        @Test func messagesHaveCodesAndRemedies() {
            for error in LocationError.allCases {
                #expect(error.code.hasPrefix("location-") && error.message.hasSuffix("."))
            }
        }
    }
#endif
