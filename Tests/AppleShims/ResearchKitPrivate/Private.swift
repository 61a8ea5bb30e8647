// A stand-in for ResearchKit's module of private declarations, which an app can import too.
import Foundation
import ResearchKit

/// objc: ORKDevice_Private.h
extension ORKDevice {
    public convenience init(product: String, osVersion: String, osBuild: String, platform: String) {
        self.init(product, osVersion: osVersion, osBuild: osBuild, platform: platform)
    }
}

/// objc: ORKCollectionResult_Private.h
extension ORKTaskResult {
    public var device: ORKDevice { ownDevice }

    public convenience init(taskIdentifier: String, taskRun: UUID, outputDirectory: URL?, device: ORKDevice) {
        self.init(taskIdentifier: taskIdentifier, taskRun: taskRun, outputDirectory: outputDirectory)
        ownDevice = device
    }
}

extension ORKStepResult {
    public var isPreviousResult: Bool {
        get { isOfEarlierRun }
        set { isOfEarlierRun = newValue }
    }
}

/// objc: ORKQuestionResult_Private.h
extension ORKLocation {
    public convenience init(
        coordinate: CLLocationCoordinate2D, region: CLCircularRegion?, userInput: String?,
        postalAddress: CNPostalAddress?
    ) {
        self.init(at: coordinate, region: region, userInput: userInput, postalAddress: postalAddress)
    }
}
