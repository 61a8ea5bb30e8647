// A stand-in for Core Location on Linux, for the parts that the adapters use. Names and raw values are Apple's; the
// behaviour is that of Apple's documentation. The database of positions is ours.
import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double

public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

public struct CLLocationCoordinate2D: Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// objc: class CLLocation
public final class CLLocation: NSObject, Sendable {
    public let coordinate: CLLocationCoordinate2D
    public let altitude: Double
    public let horizontalAccuracy: Double
    public let verticalAccuracy: Double
    public let course: Double
    public let speed: Double
    public let timestamp: Date

    public init(
        coordinate: CLLocationCoordinate2D, altitude: Double, horizontalAccuracy: Double, verticalAccuracy: Double,
        course: Double, speed: Double, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.speed = speed
        self.timestamp = timestamp
    }

    public convenience init(latitude: Double, longitude: Double) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, course: -1, speed: -1, timestamp: Date())
    }
}

open class CLCircularRegion: NSObject {
    public let center: CLLocationCoordinate2D
    public let radius: Double
    public let identifier: String

    public init(center: CLLocationCoordinate2D, radius: Double, identifier: String) {
        self.center = center
        self.radius = radius
        self.identifier = identifier
    }
}

public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined = 0  // objc: kCLAuthorizationStatusNotDetermined
    case restricted = 1  // objc: kCLAuthorizationStatusRestricted
    case denied = 2  // objc: kCLAuthorizationStatusDenied
    case authorizedAlways = 3  // objc: kCLAuthorizationStatusAuthorizedAlways
    case authorizedWhenInUse = 4  // objc: kCLAuthorizationStatusAuthorizedWhenInUse
}

public struct CLError: Error, Sendable, Hashable {
    public enum Code: Int, Sendable {
        case locationUnknown = 0  // objc: kCLErrorLocationUnknown
        case denied = 1  // objc: kCLErrorDenied
        case network = 2  // objc: kCLErrorNetwork
        case geocodeFoundNoResult = 8  // objc: kCLErrorGeocodeFoundNoResult
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
}

/// objc: class CLPlacemark
public final class CLPlacemark: NSObject {
    public let isoCountryCode: String?
    public let country: String?
    public let administrativeArea: String?
    public let locality: String?
    public let thoroughfare: String?
    public let postalCode: String?

    public init(
        isoCountryCode: String? = nil, country: String? = nil, administrativeArea: String? = nil,
        locality: String? = nil, thoroughfare: String? = nil, postalCode: String? = nil
    ) {
        self.isoCountryCode = isoCountryCode
        self.country = country
        self.administrativeArea = administrativeArea
        self.locality = locality
        self.thoroughfare = thoroughfare
        self.postalCode = postalCode
    }
}

public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// objc: class CLGeocoder. It answers on another thread, as no thread is promised.
public final class CLGeocoder: NSObject {
    private let answer: @Sendable () -> ([CLPlacemark]?, (any Error)?)

    public init(answering answer: @escaping @Sendable () -> ([CLPlacemark]?, (any Error)?)) { self.answer = answer }

    override public convenience init() { self.init { (nil, CLError(.geocodeFoundNoResult)) } }

    public func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        struct Handler: @unchecked Sendable { let call: CLGeocodeCompletionHandler }
        let handler = Handler(call: completionHandler)
        Thread.detachNewThread { [answer] in
            let (placemarks, error) = answer()
            handler.call(placemarks, error)
        }
    }
}
