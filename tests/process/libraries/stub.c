/* What the toolkit's link-time library looks like: NVML's entry points, and the text by which it is known. */
extern const char *const warning;
int nvmlInit_v2(void);
int nvmlShutdown(void);

const char *const warning = "this is a stub library";

int nvmlInit_v2(void)
{
    return 999;
}

int nvmlShutdown(void)
{
    return 999;
}
