#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "interrupt.h"
#include "summand/error.h"

namespace summand::cli {

void prepare_signals(const char* program) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then reported like a full disk
    watch_for_interrupts(program);
}

void complain(const std::string& speaker, const std::string& message) {
    const std::size_t space = speaker.find(' ');
    const bool named = space != std::string::npos && message.starts_with(speaker.substr(space + 1) + ": ");
    std::string line = named ? speaker.substr(0, space) + " " + message : speaker + ": " + message;
    std::replace(line.begin(), line.end(), '\n', ' ');
    fmt::print(stderr, "{}\n", line);
}

int guarded(const std::string& speaker, const std::function<int()>& work, const std::string& memory_advice) {
    try {
        return work();
    } catch (const Cancelled&) {
        claim_end();
        complain(speaker, std::string(interrupt_message()));
        return kInterrupted;
    } catch (const std::bad_alloc&) {
        complain(speaker, "out of memory" + memory_advice);
    } catch (const std::exception& error) {
        complain(speaker, error.what());
    }
    return kFailed;
}

int run_work(const std::string& speaker, const std::function<void()>& work, const std::string& memory_advice) {
    const auto all = [&work] {
        work();
        std::cout.flush();
        if (std::fflush(stdout) != 0 || !std::cout) throw Error("cannot write to standard output");
        return kDone;
    };
    return guarded(speaker, all, memory_advice);
}

int run_program(CLI::App& app, int count, char** arguments, const std::function<void()>& work) {
    return guarded(app.get_name(), [&] {
        prepare_signals(app.get_name().c_str());
        try {
            app.parse(count, arguments);
        } catch (const CLI::ParseError& error) {
            if (error.get_exit_code() == 0) return app.exit(error);
            complain(app.get_name(), fmt::format("{} (see '{} --help')", error.what(), app.get_name()));
            return static_cast<int>(kWrongUsage);
        }
        return run_work(app.get_name(), work);
    });
}

}  // namespace summand::cli
