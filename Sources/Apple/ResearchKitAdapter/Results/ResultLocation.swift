// ResearchKit declares locations only for an app that defines this; the app defines it for this package too.
#if canImport(ResearchKit) && (os(Linux) || ORK_FEATURE_CLLOCATIONMANAGER_AUTHORIZATION)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    #if canImport(Contacts)
        import Contacts
    #endif
    #if canImport(CoreLocation)
        import CoreLocation
    #endif
    #if canImport(ResearchKit_Private)
        import ResearchKit_Private
    #endif

    /// The answer of a location question as JSON and back.
    enum ResultLocation {
        /// Returns the JSON; nil if a number is not finite.
        static func json(_ location: ORKLocation) -> JSON? {
            var members = JSONObject()
            members["_class"] = "ORKLocation"
            members["userInput"] = location.userInput.map(JSON.string)
            members["postalAddress"] = location.postalAddress.map(json)
            guard let coordinate = json(location.coordinate) else { return nil }
            members["coordinate"] = coordinate
            if let region = location.region {
                guard let center = json(region.center), let radius = json(region.radius) else { return nil }
                members["region"] = [
                    "identifier": .string(region.identifier), "coordinate": center, "radius": radius,
                ]
            }
            return .object(members)
        }

        private static func json(_ number: Double) -> JSON? { ResultValues.json(number: NSNumber(value: number)) }

        private static func json(_ coordinate: CLLocationCoordinate2D) -> JSON? {
            guard let latitude = json(coordinate.latitude), let longitude = json(coordinate.longitude) else {
                return nil
            }
            return ["longitude": longitude, "latitude": latitude]
        }

        /// ResearchKit's serializer writes street and city; the other parts follow if they are not empty.
        private static func json(_ address: CNPostalAddress) -> JSON {
            var members = JSONObject()
            members["street"] = .string(address.street)
            members["city"] = .string(address.city)
            let others = [
                ("subLocality", address.subLocality), ("subAdministrativeArea", address.subAdministrativeArea),
                ("state", address.state), ("postalCode", address.postalCode), ("country", address.country),
                ("isoCountryCode", address.isoCountryCode),
            ]
            for (name, text) in others where !text.isEmpty { members[name] = .string(text) }
            return .object(members)
        }

        /// Reads a location; nil where ResearchKit's private module, which creates locations, is not available.
        static func location(_ members: ResultMembers) throws(SurveyResultError) -> ORKLocation? {
            guard let coordinate = try coordinate(members) else { throw members.malformed("coordinate") }
            let region = try region(members)
            let address = try address(members)
            let input = try members.text("userInput")
            #if canImport(ResearchKit_Private)
                return ORKLocation(coordinate: coordinate, region: region, userInput: input, postalAddress: address)
            #else
                _ = (coordinate, region, address, input)
                return nil
            #endif
        }

        private static func coordinate(_ members: ResultMembers) throws(SurveyResultError) -> CLLocationCoordinate2D? {
            guard let pair = try members.members("coordinate") else { return nil }
            guard let latitude = try pair.double("latitude") else { throw pair.malformed("latitude") }
            guard let longitude = try pair.double("longitude") else { throw pair.malformed("longitude") }
            return CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        }

        /// ResearchKit's serializer writes an empty object for no region.
        private static func region(_ members: ResultMembers) throws(SurveyResultError) -> CLCircularRegion? {
            guard let region = try members.members("region"), !region.object.isEmpty else { return nil }
            guard let center = try coordinate(region) else { throw region.malformed("coordinate") }
            guard let radius = try region.double("radius") else { throw region.malformed("radius") }
            return CLCircularRegion(center: center, radius: radius, identifier: try region.text("identifier") ?? "")
        }

        private static func address(_ members: ResultMembers) throws(SurveyResultError) -> CNPostalAddress? {
            guard let parts = try members.members("postalAddress") else { return nil }
            let address = CNMutablePostalAddress()
            address.street = try parts.text("street") ?? ""
            address.subLocality = try parts.text("subLocality") ?? ""
            address.city = try parts.text("city") ?? ""
            address.subAdministrativeArea = try parts.text("subAdministrativeArea") ?? ""
            address.state = try parts.text("state") ?? ""
            address.postalCode = try parts.text("postalCode") ?? ""
            address.country = try parts.text("country") ?? ""
            address.isoCountryCode = try parts.text("isoCountryCode") ?? ""
            return address
        }
    }
#endif
