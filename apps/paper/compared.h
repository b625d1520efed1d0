// The methods that the experiments compare, by the names that the paper gives them.
#pragma once

#include "figures.h"

namespace summand::cli {

inline const Method kItq{"ITQ", "ITQ{}"};
inline const Method kPq{"PQ", "PQ{}"};
inline const Method kCkm{"CKM", "OPQ{}"};
inline const Method kOcq{"OCQ", "OCQ{}"};
inline const Method kNocq{"NOCQ", "NOCQ{}"};
inline const Method kPrinted{"NOCQ, as printed", "NOCQ{}(preset=paper)"};  // NOCQ alone is ours
inline const Method kLocq{"LOCQ", "LOCQ{}"};
inline const Method kCq{"CQ", "CQ{}"};
inline const Method kAnisotropic{"CQ, anisotropic", "CQ{}(anisotropy=4)"};
inline const Method kCqe{"CQ-e", "CQe{}"};
inline const Method kCqd{"CQ-d", "CQd{}"};
inline const Method kCqc{"CQ-c", "CQc{}"};
inline const Method kQav{"QAV", "QAV{}"};
inline const Method kUb{"UB", "UB{}"};
inline const Method kAq{"AQ", "AQ{}"};
inline const Method kAqe{"AQ-e", "AQe{}"};
inline const Method kOtq{"OTQ", "OTQ{}"};
inline const Method kSparse1{"SNOCQ1", "SNOCQ{}(level=1)"};
inline const Method kSparse2{"SNOCQ2", "SNOCQ{}(level=2)"};
inline const Method kValidated{"NOCQ, μ validated", "NOCQ{}(mu=validate)"};
inline const Method kPrintedAutomatic{"NOCQ, as printed, μ ours", "NOCQ{}(preset=paper,mu=auto)"};
inline const Method kPrintedMean{"NOCQ, as printed, mean subtracted", "NOCQ{}(preset=paper,translation=mean)"};
inline const Method kIterative{"CQ, iterative", "CQ{}(solver=iterative)"};
inline const Method kPrintedCq{"CQ, as printed", "CQ{}(preset=paper)"};
inline const Method kZeroEpsilon{"NOCQ, ε = 0", "NOCQ{}(epsilon=0)"};
inline const Method kLearntTranslation{"NOCQ, learnt t", "NOCQ{}(translation=learnt)"};
inline const Method kNoTranslation{"NOCQ, as it is", "NOCQ{}(translation=none)"};

}  // namespace summand::cli
