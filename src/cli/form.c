/* form.c: the options for the output format, the same in every command that has them. */
#include "cli.h"

#include <getopt.h>

int parse_form_options(int argc, char **argv, const char *help, const struct option *table,
                       pit_report_options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return -1;
        }
        int status = form_option(argv[0], option, options);
        if (status)
            return status < 0 ? fail_option(argv[0], option, argv) : status;
    }
    return 0;
}

pit_report_options output_form(void)
{
    return (pit_report_options){
        .width = output_width(), .colour = output_colour(), .ascii = output_ascii()};
}

int form_option(const char *command, int option, pit_report_options *options)
{
    switch (option) {
    case FORM_JSON:
        options->form = PIT_JSON;
        return 0;
    case FORM_CSV:
        options->form = PIT_CSV;
        return 0;
    case FORM_MARKDOWN:
        options->form = PIT_MARKDOWN;
        return 0;
    case FORM_NO_COLOUR:
        options->colour = 0;
        return 0;
    case FORM_WIDTH:
        return parse_width(optarg, &options->width)
                   ? 0
                   : fail_usage(command, "--width", optarg, "must be 0, or 40 to 10000");
    default:
        return -1;
    }
}
