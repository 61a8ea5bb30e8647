/// The name of a request's parameter as error messages quote it.
package enum ParameterName {
    /// Returns the name without control characters, with up to 64 characters.
    package static func shown(_ name: String) -> String {
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64).filter { $0.properties.isShown }))
        return plain.unicodeScalars.count < name.unicodeScalars.count ? plain + "..." : plain
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isShown: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
