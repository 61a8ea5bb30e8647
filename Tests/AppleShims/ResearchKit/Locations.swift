@_exported import CoreLocation
import Foundation

// Types of Contacts that a location has.

open class CNPostalAddress: NSObject {
    fileprivate var members: [String: String] = [:]

    open var street: String { members["street"] ?? "" }
    open var subLocality: String { members["subLocality"] ?? "" }
    open var city: String { members["city"] ?? "" }
    open var subAdministrativeArea: String { members["subAdministrativeArea"] ?? "" }
    open var state: String { members["state"] ?? "" }
    open var postalCode: String { members["postalCode"] ?? "" }
    open var country: String { members["country"] ?? "" }
    open var isoCountryCode: String { members["isoCountryCode"] ?? "" }
}

open class CNMutablePostalAddress: CNPostalAddress {
    open override var street: String {
        get { super.street }
        set { members["street"] = newValue }
    }
    open override var subLocality: String {
        get { super.subLocality }
        set { members["subLocality"] = newValue }
    }
    open override var city: String {
        get { super.city }
        set { members["city"] = newValue }
    }
    open override var subAdministrativeArea: String {
        get { super.subAdministrativeArea }
        set { members["subAdministrativeArea"] = newValue }
    }
    open override var state: String {
        get { super.state }
        set { members["state"] = newValue }
    }
    open override var postalCode: String {
        get { super.postalCode }
        set { members["postalCode"] = newValue }
    }
    open override var country: String {
        get { super.country }
        set { members["country"] = newValue }
    }
    open override var isoCountryCode: String {
        get { super.isoCountryCode }
        set { members["isoCountryCode"] = newValue }
    }
}

/// objc: ORKQuestionResult.h. Its initialiser is in the module `ResearchKit_Private`.
open class ORKLocation: NSObject {
    public let coordinate: CLLocationCoordinate2D
    public let region: CLCircularRegion?
    public let userInput: String?
    public let postalAddress: CNPostalAddress?

    package init(
        at coordinate: CLLocationCoordinate2D, region: CLCircularRegion?, userInput: String?,
        postalAddress: CNPostalAddress?
    ) {
        self.coordinate = coordinate
        self.region = region
        self.userInput = userInput
        self.postalAddress = postalAddress
    }
}

open class ORKLocationQuestionResult: ORKQuestionResult { open var locationAnswer: ORKLocation? }
